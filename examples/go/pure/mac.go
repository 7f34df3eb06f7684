// Package pure has UMAC-64 and UMAC-128 (RFC 4418) and PMAC-AES128 (EUROCRYPT 2002) in Go alone, without libwegman.
//
// A key keeps its scratch memory, so that a tag allocates nothing. One goroutine at a time may use a key.
package pure

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"math/bits"
)

// ErrMismatch says that a message is not authentic.
var ErrMismatch = errors.New("the tag does not match the message")

// ErrNonce says that a nonce does not have 1 to 16 bytes.
var ErrNonce = errors.New("a nonce of UMAC has 1 to 16 bytes")

const (
	chunk   = 1024
	p36     = 1<<36 - 5
	p64     = 1<<64 - 59
	p128Low = 1<<64 - 159 // the low half of 2^128 - 159; all bits of the high half are 1
	most64  = 1 << 14     // words that POLY-64 takes before POLY-128 goes on
)

// Umac is a key with tags of 8 or 16 bytes.
type Umac struct {
	pads    cipher.Block
	nh      [256 + 12]uint32
	streams []stream
	last    [chunk]byte
	nonce   [16]byte
	pad     [16]byte
	tag     [16]byte
}

type stream struct {
	poly64         uint64
	poly128        [2]uint64 // high, low
	inner          [8]uint64
	mask           uint32
	accumulator    uint64
	wide           [2]uint64
	waiting        uint64 // a word of which POLY-128 needs two
	waitingForPair bool
}

// NewUmac64 makes a key of UMAC-64 from 16 random bytes.
func NewUmac64(secret [16]byte) *Umac { return newUmac(secret, 2) }

// NewUmac128 makes a key of UMAC-128 from 16 random bytes.
func NewUmac128(secret [16]byte) *Umac { return newUmac(secret, 4) }

func newAES(secret []byte) cipher.Block {
	block, err := aes.NewCipher(secret)
	if err != nil {
		panic(err) // only a wrong length fails
	}
	return block
}

func newUmac(secret [16]byte, streams int) *Umac {
	user := newAES(secret[:])
	derive := func(index byte, length int) []byte {
		out := make([]byte, (length+15)/16*16)
		for i := 0; i < len(out); i += 16 {
			in := [16]byte{7: index}
			binary.BigEndian.PutUint64(in[8:], uint64(i/16+1))
			user.Encrypt(out[i:], in[:])
		}
		return out[:length]
	}
	key := &Umac{pads: newAES(derive(0, 16)), streams: make([]stream, streams)}
	words := derive(1, chunk+16*(streams-1))
	for i := 0; i < len(words)/4; i++ {
		key.nh[i] = binary.BigEndian.Uint32(words[4*i:])
	}
	const mask = 0x01ffffff01ffffff
	polys, inner, masks := derive(2, 24*streams), derive(3, 64*streams), derive(4, 4*streams)
	for t := range key.streams {
		s := &key.streams[t]
		s.poly64 = binary.BigEndian.Uint64(polys[24*t:]) & mask
		s.poly128[0] = binary.BigEndian.Uint64(polys[24*t+8:]) & mask
		s.poly128[1] = binary.BigEndian.Uint64(polys[24*t+16:]) & mask
		for i := range s.inner {
			s.inner[i] = reduce36(reduce36(binary.BigEndian.Uint64(inner[64*t+8*i:])))
		}
		s.mask = binary.BigEndian.Uint32(masks[4*t:])
	}
	return key
}

// reduce36 subtracts multiples of 2^36 - 5; its second use gives a number below 2^36 - 5.
func reduce36(x uint64) uint64 {
	x = x&(1<<36-1) + 5*(x>>36)
	less, borrow := bits.Sub64(x, p36, 0)
	return less + p36&-borrow
}

// nh is level 1 of two neighbouring streams; a message has a multiple of 32 bytes, at most 1024.
func nh(message []byte, key []uint32) (a, b uint64) {
	for len(message) >= 32 && len(key) >= 12 {
		m, k := (*[32]byte)(message), (*[12]uint32)(key)
		m0, m4 := binary.LittleEndian.Uint32(m[0:]), binary.LittleEndian.Uint32(m[16:])
		m1, m5 := binary.LittleEndian.Uint32(m[4:]), binary.LittleEndian.Uint32(m[20:])
		m2, m6 := binary.LittleEndian.Uint32(m[8:]), binary.LittleEndian.Uint32(m[24:])
		m3, m7 := binary.LittleEndian.Uint32(m[12:]), binary.LittleEndian.Uint32(m[28:])
		a += uint64(m0+k[0])*uint64(m4+k[4]) + uint64(m1+k[1])*uint64(m5+k[5]) +
			uint64(m2+k[2])*uint64(m6+k[6]) + uint64(m3+k[3])*uint64(m7+k[7])
		b += uint64(m0+k[4])*uint64(m4+k[8]) + uint64(m1+k[5])*uint64(m5+k[9]) +
			uint64(m2+k[6])*uint64(m6+k[10]) + uint64(m3+k[7])*uint64(m7+k[11])
		message, key = message[32:], key[8:]
	}
	return a, b
}

// step64 gives y k + m modulo 2^64 - 59, for k below 2^57.
func step64(y, k, m uint64) uint64 {
	high, low := bits.Mul64(y, k)
	_, fold := bits.Mul64(high, 59) // below 2^64: high is below 2^57
	low, c := bits.Add64(low, fold, 0)
	low, d := bits.Add64(low, 59&-c, 0)
	low, c = bits.Add64(low+59&-d, m, 0)
	low, d = bits.Add64(low, 59&-c, 0)
	low += 59 & -d
	less, borrow := bits.Sub64(low, p64, 0)
	return less + p64&-borrow
}

// poly64 takes one word. A word of the last 2^32 takes two steps; a mask chooses, because words are secret.
func (s *stream) poly64Word(m uint64) {
	_, small := bits.Sub64(m, 0xffffffff00000000, 0)
	large := small - 1
	marked := step64(s.accumulator, s.poly64, p64-1)
	y := s.accumulator ^ (s.accumulator^marked)&large
	s.accumulator = step64(y, s.poly64, m-59&large)
}

// add128 gives x + y modulo 2^128 - 159, below 2^128.
func add128(x, y [2]uint64) [2]uint64 {
	low, c := bits.Add64(x[1], y[1], 0)
	high, c := bits.Add64(x[0], y[0], c)
	low, c = bits.Add64(low, 159&-c, 0)
	high, c = bits.Add64(high, 0, c)
	return [2]uint64{high, low + 159&-c}
}

// step128 gives y k + m modulo 2^128 - 159, below that modulus.
func step128(y, k, m [2]uint64) [2]uint64 {
	h1, r0 := bits.Mul64(y[1], k[1])
	h2, a := bits.Mul64(y[1], k[0])
	h3, b := bits.Mul64(y[0], k[1])
	h4, d := bits.Mul64(y[0], k[0])
	r1, c := bits.Add64(h1, a, 0)
	r2, c := bits.Add64(h2, d, c)
	r3 := h4 + c
	r1, c = bits.Add64(r1, b, 0)
	r2, c = bits.Add64(r2, h3, c)
	r3 += c
	carry, low := bits.Mul64(r2, 159) // fold r3, r2
	over, high := bits.Mul64(r3, 159)
	high, c = bits.Add64(high, carry, 0)
	sum := add128([2]uint64{r1, r0}, [2]uint64{high, low})
	sum = add128(add128(sum, [2]uint64{0, (over + c) * 159}), m)
	low, borrow := bits.Sub64(sum[1], p128Low, 0)
	high, borrow = bits.Sub64(sum[0], 1<<64-1, borrow)
	return [2]uint64{high ^ (high^sum[0])&-borrow, low ^ (low^sum[1])&-borrow}
}

func (s *stream) poly128Word(m [2]uint64) {
	_, small := bits.Sub64(m[0], 0xffffffff00000000, 0)
	large := small - 1
	marked := step128(s.wide, s.poly128, [2]uint64{1<<64 - 1, p128Low - 1})
	y := [2]uint64{s.wide[0] ^ (s.wide[0]^marked[0])&large, s.wide[1] ^ (s.wide[1]^marked[1])&large}
	low, borrow := bits.Sub64(m[1], 159&large, 0)
	s.wide = step128(y, s.poly128, [2]uint64{m[0] - borrow, low})
}

// word takes the i-th word of a message with more than 1024 bytes.
func (s *stream) word(i int, m uint64) {
	switch {
	case i < most64:
		s.poly64Word(m)
	case s.waitingForPair:
		s.poly128Word([2]uint64{s.waiting, m})
		s.waitingForPair = false
	default:
		if i == most64 {
			s.wide = step128([2]uint64{0, 1}, s.poly128, [2]uint64{0, s.accumulator})
		}
		s.waiting, s.waitingForPair = m, true
	}
}

// inner36 is level 3.
func (s *stream) inner36(high, low uint64) uint32 {
	var sum uint64
	for i := 0; i < 4; i++ {
		sum += (high>>(48-16*i)&0xffff)*s.inner[i] + (low>>(48-16*i)&0xffff)*s.inner[i+4]
	}
	return uint32(reduce36(reduce36(sum))) ^ s.mask
}

// level1 is level 1 of streams t and t + 1, for at most 1024 bytes.
func (key *Umac) level1(t int, message []byte) (a, b uint64) {
	whole := len(message) &^ 31
	a, b = nh(message[:whole], key.nh[4*t:])
	if rest := message[whole:]; len(rest) > 0 || whole == 0 {
		block := key.last[:32]
		clear(block[copy(block, rest):])
		c, d := nh(block, key.nh[4*t+whole/4:])
		a, b = a+c, b+d
	}
	length := 8 * uint64(len(message))
	return a + length, b + length
}

// Tag appends the tag of a message to out. A nonce has 1 to 16 bytes and is never used twice.
func (key *Umac) Tag(out, nonce, message []byte) ([]byte, error) {
	if len(nonce) < 1 || len(nonce) > 16 {
		return out, ErrNonce
	}
	size := 4 * len(key.streams)
	for t := 0; t < len(key.streams); t += 2 {
		s, u := &key.streams[t], &key.streams[t+1]
		var hash [2]uint32
		if len(message) <= chunk {
			a, b := key.level1(t, message)
			hash = [2]uint32{s.inner36(0, a), u.inner36(0, b)}
		} else {
			s.start()
			u.start()
			i := 0
			for at := 0; at < len(message); at += chunk {
				a, b := key.level1(t, message[at:min(at+chunk, len(message))])
				s.word(i, a)
				u.word(i, b)
				i++
			}
			hash = [2]uint32{s.finish(i), u.finish(i)}
		}
		binary.BigEndian.PutUint32(key.tag[4*t:], hash[0])
		binary.BigEndian.PutUint32(key.tag[4*t+4:], hash[1])
	}
	clear(key.nonce[copy(key.nonce[:], nonce):])
	part := 0
	if size == 8 {
		last := &key.nonce[len(nonce)-1]
		part = int(*last & 1)
		*last &^= 1
	}
	key.pads.Encrypt(key.pad[:], key.nonce[:])
	subtle.XORBytes(key.tag[:size], key.tag[:size], key.pad[size*part:])
	return append(out, key.tag[:size]...), nil
}

func (s *stream) start() { s.accumulator, s.waitingForPair = 1, false }

func (s *stream) finish(words int) uint32 {
	if words <= most64 {
		return s.inner36(0, s.accumulator)
	}
	if s.waitingForPair { // the padding is a bit 1 and zeros, to 16 bytes
		s.poly128Word([2]uint64{s.waiting, 1 << 63})
	} else {
		s.poly128Word([2]uint64{1 << 63, 0})
	}
	return s.inner36(s.wide[0], s.wide[1])
}

// Verify accepts a message only with its tag.
func (key *Umac) Verify(nonce, message, tag []byte) error {
	var space [16]byte
	want, err := key.Tag(space[:0], nonce, message)
	if err != nil {
		return err
	}
	return same(want, tag)
}

func same(want, tag []byte) error {
	if subtle.ConstantTimeCompare(want, tag) != 1 {
		return ErrMismatch
	}
	return nil
}

// Pmac is a key of PMAC-AES128 with tags of 16 bytes.
type Pmac struct {
	cipher cipher.Block
	powers [60][2]uint64 // L x^i: high, low
	last   [2]uint64     // L / x
	block  [16]byte
}

// NewPmac makes a key from 16 random bytes.
func NewPmac(secret [16]byte) *Pmac {
	key := &Pmac{cipher: newAES(secret[:])}
	high, low := key.encrypt(0, 0)
	odd := -(low & 1)
	key.last = [2]uint64{high>>1 ^ odd&(1<<63), (high<<63 | low>>1) ^ odd&0x43}
	for i := range key.powers {
		key.powers[i] = [2]uint64{high, low}
		high, low = high<<1|low>>63, low<<1^-(high>>63)&0x87
	}
	return key
}

func (key *Pmac) encrypt(high, low uint64) (uint64, uint64) {
	binary.BigEndian.PutUint64(key.block[:8], high)
	binary.BigEndian.PutUint64(key.block[8:], low)
	key.cipher.Encrypt(key.block[:], key.block[:])
	return binary.BigEndian.Uint64(key.block[:8]), binary.BigEndian.Uint64(key.block[8:])
}

// Tag appends the tag of a message to out.
func (key *Pmac) Tag(out, message []byte) []byte {
	var high, low, offsetHigh, offsetLow uint64
	for i := uint(1); len(message) > 16; i++ {
		power := &key.powers[bits.TrailingZeros(i)]
		offsetHigh, offsetLow = offsetHigh^power[0], offsetLow^power[1]
		h, l := key.encrypt(binary.BigEndian.Uint64(message)^offsetHigh, binary.BigEndian.Uint64(message[8:])^offsetLow)
		high, low, message = high^h, low^l, message[16:]
	}
	key.block = [16]byte{}
	if copy(key.block[:], message) == 16 {
		high, low = high^key.last[0], low^key.last[1]
	} else {
		key.block[len(message)] = 0x80
	}
	key.encrypt(high^binary.BigEndian.Uint64(key.block[:8]), low^binary.BigEndian.Uint64(key.block[8:]))
	return append(out, key.block[:]...)
}

// Verify accepts a message only with its tag.
func (key *Pmac) Verify(message, tag []byte) error {
	var want [16]byte
	key.Tag(want[:0], message)
	return same(want[:], tag)
}
