// libwegman from Go by cgo: a key that frees itself, and a tag that is checked.
//
// Build: go build, with PKG_CONFIG_PATH set if libwegman is not in the system's folders.
package main

// #cgo pkg-config: wegman
// #include <wegman.h>
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"
)

// ErrMismatch says that a message is not authentic.
var ErrMismatch = errors.New("the tag does not match the message")

// Umac64 is a key of UMAC-64. Any number of goroutines may use it.
type Umac64 struct{ key *C.wegman_umac64 }

func check(status C.wegman_status) error {
	switch status {
	case C.WEGMAN_OK:
		return nil
	case C.WEGMAN_MISMATCH:
		return ErrMismatch
	default:
		return errors.New("wegman: " + C.GoString(C.wegman_strerror(C.int(status))))
	}
}

// NewUmac64 makes a key from 16 random bytes.
func NewUmac64(secret [16]byte) (*Umac64, error) {
	key := new(Umac64)
	if err := check(C.wegman_umac64_new((*C.uint8_t)(&secret[0]), &key.key)); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(key, func(key *Umac64) { C.wegman_umac64_free(key.key) })
	return key, nil
}

// Tag returns the tag of a message. A nonce is never used twice.
func (key *Umac64) Tag(nonce [8]byte, message []byte) (tag [8]byte, err error) {
	err = check(C.wegman_umac64_tag(key.key, (*C.uint8_t)(&nonce[0]), unsafe.Pointer(unsafe.SliceData(message)),
		C.size_t(len(message)), (*C.uint8_t)(&tag[0])))
	runtime.KeepAlive(key)
	return tag, err
}

// Verify accepts a message only with its tag.
func (key *Umac64) Verify(nonce [8]byte, message []byte, tag [8]byte) error {
	err := check(C.wegman_umac64_verify(key.key, (*C.uint8_t)(&nonce[0]), unsafe.Pointer(unsafe.SliceData(message)),
		C.size_t(len(message)), (*C.uint8_t)(&tag[0])))
	runtime.KeepAlive(key)
	return err
}

func main() {
	key, err := NewUmac64([16]byte([]byte("sixteen byte key")))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	nonce := [8]byte{7: 1}
	tag, err := key.Tag(nonce, []byte("a packet"))
	fmt.Printf("%x %v\n", tag, err)
	fmt.Println(key.Verify(nonce, []byte("a packet"), tag))
	fmt.Println(key.Verify(nonce, []byte("b packet"), tag))
}
