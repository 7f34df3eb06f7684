package main

import (
	"math/rand"
	"testing"

	"wegman.example/tag/pure"
)

// A tag of Go alone is one of libwegman.
func TestPureAgrees(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for i := 0; i < 10_000; i++ {
		var secret [16]byte
		var nonce [8]byte
		message := make([]byte, random.Intn(4000))
		random.Read(secret[:])
		random.Read(nonce[:])
		random.Read(message)
		key, err := NewUmac64(secret)
		if err != nil {
			t.Fatal(err)
		}
		tag, err := pure.NewUmac64(secret).Tag(nil, nonce[:], message)
		if err != nil || key.Verify(nonce, message, [8]byte(tag)) != nil {
			t.Fatalf("%d bytes: %x %v", len(message), tag, err)
		}
	}
}
