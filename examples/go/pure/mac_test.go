package pure

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

type hexBytes []byte

func (b *hexBytes) UnmarshalText(text []byte) (err error) {
	*b, err = hex.DecodeString(string(text))
	return err
}

type file struct {
	NumberOfTests int
	TestGroups    []struct {
		TagSize int
		Tests   []struct {
			TcID              int `json:"tcId"`
			Key, Iv, Msg, Tag hexBytes
			Result            string
		}
	}
}

func vectors(t *testing.T, name string, verify func(tagSize int, key [16]byte, iv, msg, tag []byte) error) {
	text, err := os.ReadFile("../../../vectors/wycheproof/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var all file
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, group := range all.TestGroups {
		for _, test := range group.Tests {
			count++
			err := verify(group.TagSize, [16]byte(test.Key), test.Iv, test.Msg, test.Tag)
			if (err == nil) != (test.Result == "valid") || err != nil && err != ErrMismatch {
				t.Errorf("%s, test %d is %s: %v", name, test.TcID, test.Result, err)
			}
		}
	}
	if count < 500 || count != all.NumberOfTests {
		t.Errorf("%s: %d tests of %d", name, count, all.NumberOfTests)
	}
}

func TestVectors(t *testing.T) {
	vectors(t, "umac_test.json", func(tagSize int, key [16]byte, iv, msg, tag []byte) error {
		if tagSize == 64 {
			return NewUmac64(key).Verify(iv, msg, tag)
		}
		return NewUmac128(key).Verify(iv, msg, tag)
	})
	vectors(t, "pmac_test.json", func(_ int, key [16]byte, _, msg, tag []byte) error {
		return NewPmac(key).Verify(msg, tag)
	})
}

// Over 16 MiB, POLY-128 goes on: the tags of 2^25 times 'a', from erratum 3507 of RFC 4418 and from nettle.
func TestLong(t *testing.T) {
	message := bytes.Repeat([]byte{'a'}, 1<<25)
	secret, nonce := [16]byte([]byte("abcdefghijklmnop")), []byte("bcdefghi")
	for want, key := range map[string]*Umac{
		"faca46f856e9b45f":                 NewUmac64(secret),
		"a621c2457c0012e64f3fdae9e7e1870c": NewUmac128(secret),
	} {
		if tag, err := key.Tag(nil, nonce, message); err != nil || hex.EncodeToString(tag) != want {
			t.Errorf("%x instead of %s: %v", tag, want, err)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	umac64, umac128, pmac := NewUmac64([16]byte{}), NewUmac128([16]byte{}), NewPmac([16]byte{})
	nonce, message, out := make([]byte, 8), make([]byte, 5000), make([]byte, 0, 16)
	count := testing.AllocsPerRun(100, func() {
		umac64.Tag(out, nonce, message)
		umac128.Tag(out, nonce, message)
		pmac.Tag(out, message)
		pmac.Verify(message, nonce)
		umac64.Verify(nonce, message, nonce)
	})
	if count != 0 {
		t.Errorf("%v allocations", count)
	}
}

func BenchmarkTag(b *testing.B) {
	umac64, umac128, pmac := NewUmac64([16]byte{}), NewUmac128([16]byte{}), NewPmac([16]byte{})
	mac := hmac.New(sha256.New, make([]byte, 32))
	nonce, out := make([]byte, 8), make([]byte, 0, 32)
	for _, length := range []int{16, 43, 256, 1500, 4096, 65536} {
		message := make([]byte, length)
		for _, of := range []struct {
			name string
			tag  func()
		}{
			{"UMAC-64", func() { umac64.Tag(out, nonce, message) }},
			{"UMAC-128", func() { umac128.Tag(out, nonce, message) }},
			{"PMAC-AES128", func() { pmac.Tag(out, message) }},
			{"HMAC-SHA256", func() { mac.Reset(); mac.Write(message); mac.Sum(out) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", of.name, length), func(b *testing.B) {
				b.SetBytes(int64(length))
				for i := 0; i < b.N; i++ {
					of.tag()
				}
			})
		}
	}
}
