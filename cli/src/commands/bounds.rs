//! `wegman bounds`: how likely a forgery is at most. The theorems are the library's.

use crate::args::Bounds;
use crate::names::algorithm::{self, tag_bytes};
use crate::output::Exit;
use crate::standard::print_page;
use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use wegman_catalogue::bounds::{Forgery, Probability, Unbounded, Usage, theorems};
use wegman_catalogue::{ALGORITHMS, Algorithm, Found};

/// Bytes of each message if nothing is said.
const MESSAGE: u128 = 1024;
const BLOCK: u128 = 16;
pub fn run(args: &Bounds) -> Result<Exit> {
    let message_bytes = message_bytes(args)?;
    let algorithms = if args.names.is_empty() {
        ALGORITHMS.iter().map(Found::from).collect()
    } else {
        args.names.iter().map(|name| algorithm::find(name)).collect::<Result<Vec<Found>>>()?
    };
    let answers = algorithms.iter().map(|algorithm| {
        let tag_bits = 8 * tag_bytes(algorithm, args.tag_bits)?;
        Ok(Answer::new(algorithm, args, message_bytes, tag_bits))
    });
    let answers = answers.collect::<Result<Vec<Answer<'_>>>>()?;
    let text = match (&answers[..], args.names.is_empty()) {
        ([answer], false) if args.json => pretty(&answer.record())?,
        ([answer], false) => answer.page(),
        _ if args.json => pretty(&answers.iter().map(Answer::record).collect())?,
        _ => table(&answers, args, message_bytes),
    };
    print_page(&text).map(|()| Exit::Good)
}

fn pretty(value: &Value) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

/// How long a message is, rounded up.
fn message_bytes(args: &Bounds) -> Result<u128> {
    let (messages, all) = (args.messages, shown(args.messages));
    match (args.message_bytes, args.bytes, args.blocks) {
        (Some(bytes), ..) => Ok(bytes),
        // Nobody means that most messages are empty; a message's length was meant.
        (_, Some(bytes), _) if bytes < messages => bail!(
            "--bytes counts all {all} messages together, and {} is less than one each; give one's length as \
             --message-bytes",
            shown(bytes)
        ),
        (_, Some(bytes), _) => Ok(bytes.div_ceil(messages)),
        (.., Some(blocks)) if blocks < messages => bail!(
            "--blocks: {all} messages have at least as many blocks, not {}; give fewer --messages",
            shown(blocks)
        ),
        (.., Some(blocks)) => blocks.div_ceil(messages).checked_mul(BLOCK).context(
            "--blocks: a message of 2^128 bytes or more has no bound; give more --messages",
        ),
        _ => Ok(MESSAGE),
    }
}

struct Answer<'a> {
    algorithm: &'a Algorithm,
    usage: Usage,
    until: Probability,
    /// Or why there is none.
    bound: Result<Numbers, String>,
}

struct Numbers {
    forgery: Forgery,
    messages: Option<u128>,
    attempts: Option<u128>,
}

impl<'a> Answer<'a> {
    fn new(algorithm: &'a Algorithm, args: &Bounds, message_bytes: u128, tag_bits: usize) -> Self {
        let &Bounds { messages, attempts, until, .. } = args;
        let tag_bits = tag_bits as u32;
        let usage = Usage { messages, message_bytes, attempts, tag_bits };
        let numbers = || -> Result<Numbers, Unbounded> {
            let forgery = algorithm.forgery(&usage)?;
            let most = forgery.most_messages().unwrap_or(u128::MAX).min(nonces(algorithm));
            let messages = algorithm.messages_until(&usage, until)?;
            Ok(Numbers {
                forgery,
                messages: messages.map(|messages| messages.min(most)),
                attempts: algorithm.attempts_until(&usage, until)?,
            })
        };
        let bound = numbers().map_err(|why| why.to_string());
        Answer { algorithm, usage, until, bound }
    }

    /// The probability that two nonces of the longest kind are equal if they are drawn at random.
    fn random_nonces(&self) -> Option<Probability> {
        Some(theorems::repeated_nonces(self.usage.messages, longest_nonce(self.algorithm)?))
    }

    /// The most messages, fewer than `most`, that keep the sum with that probability within the limit.
    fn most_at_random(&self, most: u128) -> Option<u128> {
        let bits = longest_nonce(self.algorithm)?;
        let keeps = |messages| {
            let forgery = self.algorithm.forgery(&Usage { messages, ..self.usage });
            let repeated = theorems::repeated_nonces(messages, bits);
            forgery.is_ok_and(|forgery| forgery.total() + repeated <= self.until)
        };
        let more = |messages, bit| if keeps(messages | bit) { messages | bit } else { messages };
        let random = (0..u128::BITS).rev().map(|bit| 1 << bit).fold(0, more);
        (random < most).then_some(random)
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let nonces = nonces(self.algorithm);
        if self.usage.messages > nonces {
            notes.push(format!("there are only {} nonces", shown(nonces)));
        }
        if let Some(p) = self.random_nonces() {
            notes.push(format!(
                "`wegman tag` draws nonces at random. Two are equal with probability {p}; add that to the sum"
            ));
        }
        if let Ok(Numbers { forgery, messages, .. }) = &self.bound
            && let Some(most) = forgery.most_messages()
            && messages.unwrap_or_default().max(self.usage.messages) >= most
        {
            notes.push(format!(
                "no more than {} messages are advised for a key, whatever the sum allows: what pads cost, a factor, \
                 grows fast beyond 2^64",
                shown(most)
            ));
        }
        let one = Usage { messages: 1, attempts: 1, ..self.usage };
        if self.algorithm.forgery(&one).is_ok_and(|forgery| forgery.total() == Probability::ONE) {
            notes.push("nothing is proved of messages as long as that".to_owned());
        }
        if self.usage.message_bytes >= 1 << 64 {
            notes.push("no implementation takes a message of 2^64 bytes".to_owned());
        }
        notes
    }

    fn page(&self) -> String {
        let Answer { algorithm, usage, .. } = self;
        let head = format!("{}, tags of {} bits\n", algorithm.name, usage.tag_bits);
        let numbers = match &self.bound {
            Ok(numbers) => numbers,
            Err(why) => return head + "no bound: " + why + "\n",
        };
        let question = format!(
            "q = {} of up to {}, {} in all; v = {}",
            counted(usage.messages, "message"),
            counted(usage.message_bytes, "byte"),
            in_all(usage.messages, usage.message_bytes),
            counted(usage.attempts, "forgery attempt"),
        );
        let letters = numbers.forgery.letters().iter().map(|letter| {
            format!("  {} = {}: {}", letter.name, at_most(letter.value), letter.meaning)
        });
        let notes = self.notes().into_iter().map(|note| format!("Note: {note}."));
        let mut paragraphs = vec![
            vec![question],
            self.sum(&numbers.forgery),
            letters.collect(),
            self.advice(numbers),
            notes.collect(),
        ];
        paragraphs.retain(|lines| !lines.is_empty());
        let paragraphs: Vec<_> = paragraphs.iter().map(|lines| lines.join("\n")).collect();
        head + &paragraphs.join("\n\n") + "\n"
    }

    /// The terms of the bound, and what comes to them.
    fn sum(&self, forgery: &Forgery) -> Vec<String> {
        let mut lines = Vec::new();
        for term in forgery.terms() {
            let p = term.probability.to_string();
            lines.push(format!("  {p:<10}{}: {}", term.name, term.formula));
            lines.push(format!("  {:<10}{}", "", term.source));
        }
        lines.push(format!("  {:<10}in all", forgery.total().to_string()));
        lines.push(format!("  {:<10}{}", "plus", forgery.advantages()));
        lines.push(format!("  {:<10}{}", "if", self.algorithm.bound.assumption));
        lines
    }

    /// When to change the key.
    fn advice(&self, numbers: &Numbers) -> Vec<String> {
        let usage = &self.usage;
        let random = numbers.messages.and_then(|most| self.most_at_random(most)).map(shown);
        let random = random.map(|most| {
            format!("  after {most} if nonces are drawn at random, as in `wegman tag`,")
        });
        let messages = match numbers.messages {
            Some(messages) => format!(
                "  change the key after {} of this length, {} in all,",
                counted(messages, "message"),
                in_all(messages, usage.message_bytes)
            ),
            None if usage.attempts > 1 => {
                "  with so many attempts, no number of messages is small enough;".to_owned()
            }
            None => {
                "  no number of messages is small enough: one attempt alone exceeds it;".to_owned()
            }
        };
        let attempts = match numbers.attempts {
            Some(attempts) => format!(
                "  {}with {}, allow {}",
                if numbers.messages.is_some() { "or, " } else { "" },
                counted(usage.messages, "message"),
                counted(attempts, "forgery attempt")
            ),
            None => "  and with so many messages it is larger without any attempt".to_owned(),
        };
        let head = format!("To keep the sum at {}:", self.until);
        [Some(head), Some(messages), random, Some(attempts)].into_iter().flatten().collect()
    }

    fn record(&self) -> Value {
        let Answer { algorithm, usage, until, .. } = self;
        let (name, log2) = (algorithm.name.as_str(), |p: Probability| p.log2().map(f64::from));
        let inputs = json!({
            "messages": usage.messages.to_string(),
            "message_bytes": usage.message_bytes.to_string(),
            "bytes": usage.messages.checked_mul(usage.message_bytes).map(|bytes| bytes.to_string()),
            "attempts": usage.attempts.to_string(),
            "tag_bits": usage.tag_bits,
            "until_log2": log2(*until),
        });
        let Numbers { forgery, messages, attempts } = match &self.bound {
            Ok(numbers) => numbers,
            Err(why) => return json!({ "algorithm": name, "inputs": inputs, "no_bound": why }),
        };
        let terms = forgery.terms().iter().map(|term| {
            json!({
                "name": term.name, "formula": term.formula, "source": term.source,
                "log2": log2(term.probability),
            })
        });
        let letters = forgery.letters().iter().map(|letter| {
            let value = json!({ "value": letter.value.to_string(), "meaning": letter.meaning });
            (letter.name.to_owned(), value)
        });
        let bytes = |messages: u128| messages.checked_mul(usage.message_bytes);
        json!({
            "algorithm": name,
            "inputs": inputs,
            "letters": letters.collect::<Map<String, Value>>(),
            "terms": terms.collect::<Vec<Value>>(),
            "total_log2": log2(forgery.total()),
            "advantages": forgery.advantages(),
            "assumption": algorithm.bound.assumption,
            "advice": {
                "messages": messages.map(|messages| messages.to_string()),
                "bytes": messages.and_then(bytes).map(|bytes| bytes.to_string()),
                "attempts": attempts.map(|attempts| attempts.to_string()),
            },
            "random_nonces_log2": self.random_nonces().and_then(log2),
            "notes": self.notes(),
        })
    }
}

/// In bits.
fn longest_nonce(algorithm: &Algorithm) -> Option<u32> {
    algorithm.nonce_bytes?.last().map(|&bytes| 8 * bytes as u32)
}

/// How many nonces there are; without any, nothing limits the messages.
fn nonces(algorithm: &Algorithm) -> u128 {
    let bits = longest_nonce(algorithm).unwrap_or(128);
    1_u128.checked_shl(bits).unwrap_or(u128::MAX)
}

fn table(all: &[Answer<'_>], args: &Bounds, message_bytes: u128) -> String {
    let mut text = format!(
        "{} of up to {}, {}.\nThe last columns: the most messages (or attempts) for a bound of {},\nwith the \
         attempts (or messages) above.\n\n",
        counted(args.messages, "message"),
        counted(message_bytes, "byte"),
        counted(args.attempts, "forgery attempt"),
        args.until
    );
    let mut row = |name: &str, tag: &str, bound: &str, messages: &str, attempts: &str| {
        let row = format!("{name:<26}{tag:>4}  {bound:<10}{messages:<18}{attempts}");
        writeln!(text, "{}", row.trim_end()).expect("a string takes all");
    };
    row("algorithm", "tag", "bound", "messages", "attempts");
    for Answer { algorithm, usage, bound, .. } in all {
        let tag = usage.tag_bits.to_string();
        let most = |number: &Option<u128>| number.map_or("-".to_owned(), shown);
        match bound {
            Ok(Numbers { forgery, messages, attempts }) => {
                let total = forgery.total().to_string();
                row(&algorithm.name, &tag, &total, &most(messages), &most(attempts));
            }
            Err(why) => row(&algorithm.name, &tag, "none", why, ""),
        }
    }
    text
}

/// The bytes of all messages.
fn in_all(messages: u128, bytes: u128) -> String {
    let product = messages.checked_mul(bytes);
    product.map_or("2^128 bytes or more".to_owned(), |product| counted(product, "byte"))
}

fn counted(number: u128, thing: &str) -> String {
    format!("{} {thing}{}", shown(number), if number == 1 { "" } else { "s" })
}

/// A number, or the power of two it is or, if it is long, is more than.
fn shown(number: u128) -> String {
    // By more than what the logarithm is wrong by.
    in_words(number, |log2| ((log2 - 1e-9) * 100.0).floor() / 100.0)
}

/// The same, rounded up: what a term was computed of.
fn at_most(number: u128) -> String {
    in_words(number, |log2| ((log2 + 1e-9) * 100.0).ceil() / 100.0)
}

fn in_words(number: u128, round: impl Fn(f64) -> f64) -> String {
    if number >= 1 << 16 && number.is_power_of_two() {
        return format!("2^{}", number.ilog2());
    }
    if number < 1_000_000_000_000_000 {
        return number.to_string();
    }
    format!("2^{:.2}", round((number as f64).log2()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(name: &str, messages: u128, until: u32) -> String {
        let algorithm = algorithm::find(name).unwrap();
        let args = Bounds {
            names: Vec::new(),
            messages,
            message_bytes: None,
            bytes: None,
            blocks: None,
            attempts: 1,
            tag_bits: None,
            until: Probability::half_to(until),
            json: false,
        };
        Answer::new(&algorithm, &args, 2049, 128).page()
    }

    #[test]
    fn a_factor_is_shown_as_a_term() {
        let page = page("Carter-128", 1 << 48, 40);
        for line in [
            "  2^-127    hash: v n / 2^t",
            "  2^-159.99 pads: hash * ((1 - (q + 1) / 2^128)^(-(q + 2) / 2) - 1)",
            "  2^-236.99 subkeys: (hash + pads) * 2^-110",
            "  2^-126.99 in all",
            "  plus      Adv-PRP of AES, twice: for the subkeys and for the pads",
            "  n = 2: blocks of 2048 bytes of a message",
        ] {
            assert!(page.lines().any(|l| l == line), "{line}\n{page}");
        }
    }

    #[test]
    fn keys_are_changed_before_the_sum_says_so() {
        const NOTE: &str = "Note: no more than 2^48 messages are advised";
        for name in ["Carter-128", "Polyval-AES", "UMAC-128", "UMAC-4/16"] {
            // Both are kept far beyond.
            for until in [40, 100] {
                let page = page(name, 1 << 32, until);
                assert!(page.contains("change the key after 2^48 messages"), "{page}");
                assert!(page.contains(NOTE), "{page}");
            }
            // No number of messages keeps 2^-128: then it is those asked about that count.
            assert!(!page(name, (1 << 48) - 1, 128).contains(NOTE));
            assert!(page(name, 1 << 48, 128).contains(NOTE));
        }
        // Where nothing is a pad, the sum is enough.
        let pmac = page("PMAC-AES128", 1 << 49, 20);
        assert!(!pmac.contains("change the key after 2^48 messages"), "{pmac}");
        assert!(!pmac.contains(NOTE), "{pmac}");
    }
}
