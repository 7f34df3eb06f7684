//! The network between sender and receiver, as bad as planned.

use crate::fate::{Fate, LONGEST, Plan};
use crate::link::{Link, Result};
use crate::{BATCH, CREDIT, MESSAGE};

/// Passes on what the plan says. `source` is the link to the sender, `target` that to the receiver.
pub fn relay(plan: &Plan, source: &Link, target: &mut Link) -> Result<()> {
    // A ring: what is due at each step. Steps are datagrams of the sender.
    let mut due: Vec<Vec<Vec<u8>>> = vec![Vec::new(); LONGEST as usize + 1];
    let place = |step: u64| (step % (LONGEST + 1)) as usize;
    let mut buffer = [0; 512];
    source.send_number(0)?; // the start
    for step in 0..plan.count + LONGEST {
        if step < plan.count {
            let length = source.take(&mut buffer)?;
            let datagram = &buffer[..length];
            if length < plan.head + MESSAGE {
                return Err("the sender sends something else".into());
            }
            if (step + 1) % BATCH as u64 == 0 || step + 1 == plan.count {
                source.send_number(step + 1)?;
            }
            let index = plan.index(datagram);
            let Fate { delay, extra } = plan.fate(index);
            if let Some((delay, extra)) = extra {
                due[place(step + delay)].push(plan.change(index, datagram, extra));
            }
            match delay {
                // Without a copy.
                Some(0) => target.send(datagram)?,
                Some(delay) => due[place(step + delay)].push(datagram.to_vec()),
                None => {}
            }
        }
        for datagram in due[place(step)].drain(..) {
            target.send(&datagram)?;
        }
    }
    target.send_number(target.sent())
}

const _: () = assert!(CREDIT >= 2 * BATCH as u64, "a batch fills while another is on its way");
