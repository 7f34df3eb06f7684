//! [`Parameters`]: UMAC-w/l/n/k/s/e, and their names (draft, sections 2.1 to 2.3).

use core::fmt;
use core::str::FromStr;

/// L1-OPERATIONS-SIGN: how level 1 reads the factors of its products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sign {
    /// As two's complement.
    Signed,
    /// As unsigned numbers.
    Unsigned,
}

/// ENDIAN-FAVORITE: how level 1 reads the message's words. Key words are always big-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Endian {
    /// First byte lowest.
    Little,
    /// First byte highest.
    Big,
}

/// The parameters of a UMAC or UHASH of October 2000. Only parameters that the draft allows can be made.
///
/// ```
/// use wegman_historical::umac_2000::Parameters;
///
/// let parameters: Parameters = "UMAC-4/16/256".parse()?;
/// assert_eq!((parameters.word_bytes(), parameters.l1_key_bytes()), (4, 256));
/// assert_eq!(parameters.to_string(), "UMAC-4/16/256");
/// assert_eq!("umac-4/8/1024/16/UNSIGNED/LITTLE".parse(), Ok(Parameters::UMAC32));
/// # Ok::<(), wegman_historical::umac_2000::InvalidParameters>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameters {
    word: u8,
    output: u8,
    l1_key: u32,
    key: u8,
    sign: Sign,
    endian: Endian,
}

impl Parameters {
    /// UMAC-2/8/1024/16/SIGNED/LITTLE
    pub const UMAC16: Parameters = Parameters { word: 2, sign: Sign::Signed, ..Self::UMAC32 };

    /// UMAC-4/8/1024/16/UNSIGNED/LITTLE
    pub const UMAC32: Parameters = Parameters {
        word: 4,
        output: 8,
        l1_key: 1024,
        key: 16,
        sign: Sign::Unsigned,
        endian: Endian::Little,
    };

    /// Words of `w` = 2 or 4 bytes, outputs of `l` = 1 to 32, chunks of `n` = 32, 64, ... 2^28, keys of
    /// `k` = 16 or 32 bytes.
    ///
    /// # Errors
    /// [`InvalidParameters`] for any other number.
    pub const fn new(
        w: usize,
        l: usize,
        n: usize,
        k: usize,
        sign: Sign,
        endian: Endian,
    ) -> Result<Parameters, InvalidParameters> {
        let allowed = matches!(w, 2 | 4)
            && 1 <= l
            && l <= 32
            && n.is_power_of_two()
            && 32 <= n
            && n <= 1 << 28
            && matches!(k, 16 | 32);
        if !allowed {
            return Err(InvalidParameters);
        }
        Ok(Parameters {
            word: w as u8,
            output: l as u8,
            l1_key: n as u32,
            key: k as u8,
            sign,
            endian,
        })
    }

    /// w: bytes of a word.
    #[must_use]
    pub const fn word_bytes(&self) -> usize {
        self.word as usize
    }

    /// l: bytes of a tag or hash.
    #[must_use]
    pub const fn output_bytes(&self) -> usize {
        self.output as usize
    }

    /// n: bytes of a chunk, and of the level-1 key of one stream.
    #[must_use]
    pub const fn l1_key_bytes(&self) -> usize {
        self.l1_key as usize
    }

    /// k: bytes of the secret.
    #[must_use]
    pub const fn key_bytes(&self) -> usize {
        self.key as usize
    }

    /// s: whether level 1 reads its factors as signed.
    #[must_use]
    pub const fn sign(&self) -> Sign {
        self.sign
    }

    /// e: the byte order of the message's words.
    #[must_use]
    pub const fn endian(&self) -> Endian {
        self.endian
    }

    /// The number of words in the output, each from a stream of its own. The last word may be cut.
    #[must_use]
    pub const fn words(&self) -> usize {
        // Never divide by a number known only at run time: such a division takes a good part of a short tag's time.
        if self.word == 2 {
            self.output_bytes().div_ceil(2)
        } else {
            self.output_bytes().div_ceil(4)
        }
    }

    /// UMAC-2/l for outputs of 1 to 32 bytes.
    pub(crate) const fn umac16(l: usize) -> Parameters {
        Parameters { output: l as u8, ..Self::UMAC16 }
    }

    /// The cipher calls of the KDF: for the keys of levels 1, 2 and 3, the masks and the keys of the pads.
    #[must_use]
    pub const fn subkey_blocks(&self) -> u32 {
        let (words, w) = (self.words(), self.word_bytes());
        let l1 = self.l1_key_bytes() / 16 + words - 1;
        let l2 = (words * if w == 4 { 24 } else { 28 }).div_ceil(16);
        let l3 = words * w;
        let masks = (words * w).div_ceil(16);
        (l1 + l2 + l3 + masks + self.pad_blocks() * (self.key_bytes() / 16)) as u32
    }

    /// The blocks of a pad, each under a key of its own.
    #[must_use]
    pub const fn pad_blocks(&self) -> usize {
        self.output_bytes().div_ceil(16)
    }

    /// Whether these are the parameters of UMAC32, except that the output may have one to four words of 4 bytes.
    /// [`Umac32`](crate::Umac32) handles these parameters.
    #[must_use]
    pub fn are_of_rfc4418(&self) -> bool {
        self.differ_in_output(&Self::UMAC32) && matches!(self.output, 4 | 8 | 12 | 16)
    }

    /// Whether these are the parameters of UMAC16, except that the output may have 2, 4, 8 or 16 bytes.
    /// [`Umac16`](crate::Umac16) handles these parameters.
    #[must_use]
    pub fn are_umac16(&self) -> bool {
        self.differ_in_output(&Self::UMAC16) && matches!(self.output, 2 | 4 | 8 | 16)
    }

    /// Whether these are `others`, except perhaps for the length of the output.
    pub(super) fn differ_in_output(&self, others: &Parameters) -> bool {
        Parameters { output: others.output, ..*self } == *others
    }

    /// The parameters of a `UHASH-w/l/n/k/s/e`.
    ///
    /// # Errors
    /// [`InvalidParameters`] for any other name.
    pub fn of_uhash(name: &str) -> Result<Parameters, InvalidParameters> {
        parse("UHASH", name)
    }
}

/// Reads `UMAC16`, `UMAC32` or `UMAC-w/l/n/k/s/e` in upper or lower case. Parameters missing at the end are as in
/// UMAC32. So `UMAC-2/8` is not UMAC16, whose words are signed.
impl FromStr for Parameters {
    type Err = InvalidParameters;

    fn from_str(name: &str) -> Result<Parameters, InvalidParameters> {
        if name.eq_ignore_ascii_case("UMAC16") {
            return Ok(Parameters::UMAC16);
        }
        if name.eq_ignore_ascii_case("UMAC32") {
            return Ok(Parameters::UMAC32);
        }
        parse("UMAC", name)
    }
}

/// Reads `w/l/n/k/s/e`; at least w must be there.
fn parse(function: &str, name: &str) -> Result<Parameters, InvalidParameters> {
    let (_, parts) = name
        .split_once('-')
        .filter(|(front, _)| front.eq_ignore_ascii_case(function))
        .ok_or(InvalidParameters)?;
    let Parameters { word, output, l1_key, key, mut sign, mut endian } = Parameters::UMAC32;
    let mut numbers = [word.into(), output.into(), l1_key as usize, key.into()];
    for (place, part) in parts.split('/').enumerate() {
        let is = |word| part.eq_ignore_ascii_case(word);
        match place {
            0..4 => numbers[place] = decimal(part).ok_or(InvalidParameters)?,
            4 if is("SIGNED") => sign = Sign::Signed,
            4 if is("UNSIGNED") => sign = Sign::Unsigned,
            5 if is("LITTLE") => endian = Endian::Little,
            5 if is("BIG") => endian = Endian::Big,
            _ => return Err(InvalidParameters),
        }
    }
    let [w, l, n, k] = numbers;
    Parameters::new(w, l, n, k, sign, endian)
}

/// A decimal number in its only spelling: no sign, no leading zeroes.
fn decimal(part: &str) -> Option<usize> {
    let is_plain = part.bytes().all(|c| c.is_ascii_digit()) && !part.starts_with('0');
    if is_plain { part.parse().ok() } else { None }
}

/// The shortest name: `UMAC16`, `UMAC32`, or a name without the last parameters that are as in UMAC32.
impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Parameters::UMAC16 => return f.write_str("UMAC16"),
            Parameters::UMAC32 => return f.write_str("UMAC32"),
            _ => {}
        }
        let Parameters { word, output, l1_key, key, sign, endian } = *self;
        let usual = Parameters::UMAC32;
        let differs = [
            output != usual.output,
            l1_key != usual.l1_key,
            key != usual.key,
            sign != usual.sign,
            endian != usual.endian,
        ];
        let told = differs.iter().rposition(|differs| *differs).map_or(0, |last| last + 1);
        write!(f, "UMAC-{word}")?;
        // `UMAC-2` alone would look like the name of a family.
        for place in 0..told.max(1) {
            match place {
                0 => write!(f, "/{output}")?,
                1 => write!(f, "/{l1_key}")?,
                2 => write!(f, "/{key}")?,
                3 if sign == Sign::Signed => f.write_str("/SIGNED")?,
                3 => f.write_str("/UNSIGNED")?,
                _ => f.write_str("/BIG")?,
            }
        }
        Ok(())
    }
}

wegman::error! {
    /// The name or the numbers are not in the draft.
    pub struct InvalidParameters =
        "not UMAC16, UMAC32 or UMAC-w/l/n/k/s/e with numbers that the draft allows";
}
