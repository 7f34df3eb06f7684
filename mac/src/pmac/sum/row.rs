//! What every row of the block sum (PMAC paper, section 3) is written with.

/// The functions of a row, for which the compiler may use its features.
macro_rules! row {
    ($isa:ty, $features:literal) => {
        const FEATURES: &str = $features;
        const FUNCTIONS: [Functions; 3] = {
            #[target_feature(enable = $features)]
            fn add_groups<const ROUNDS: usize>(
                key: &Key,
                base: &mut Block,
                first: u64,
                groups: &[[Block; GROUP]],
                sum: &mut Block,
            ) {
                kernel::add_groups::<_, ROUNDS>(<$isa>::new(), key, base, first, groups, sum);
            }
            #[target_feature(enable = $features)]
            fn add_few<const ROUNDS: usize>(
                key: &Key,
                base: &Block,
                table: &[Block],
                blocks: &[Block],
                sum: &mut Block,
            ) {
                kernel::add_few::<_, ROUNDS>(<$isa>::new(), key, base, table, blocks, sum);
            }
            #[target_feature(enable = $features)]
            fn tag<const ROUNDS: usize>(key: &Key, message: &[u8], tag: &mut Block) {
                kernel::tag::<_, _, _, ROUNDS>(<$isa>::new(), key, ((), ()), message, tag);
            }
            #[target_feature(enable = $features)]
            fn tag_after_one(key: &Key, first: u128, message: &[u8], tag: &mut Block) {
                kernel::tag::<_, _, _, 10>(<$isa>::new(), key, (first, ()), message, tag);
            }
            #[target_feature(enable = $features)]
            fn tag_after_two(
                key: &Key,
                first: u128,
                second: u128,
                message: &[u8],
                tag: &mut Block,
            ) {
                kernel::tag::<_, _, _, 10>(<$isa>::new(), key, (first, second), message, tag);
            }
            #[target_feature(enable = $features)]
            fn tag8<const ROUNDS: usize>(
                key: &Key,
                messages: &[&[u8]; EIGHT],
                tags: &mut [Block; EIGHT],
            ) -> bool {
                kernel::tag8::<_, ROUNDS>(<$isa>::new(), key, messages, tags)
            }
            const fn of<const ROUNDS: usize>() -> Functions {
                Functions {
                    add_groups: add_groups::<ROUNDS>,
                    add_few: add_few::<ROUNDS>,
                    tag: tag::<ROUNDS>,
                    tag8: tag8::<ROUNDS>,
                    after: if ROUNDS == 10 {
                        Some(After { tag_after_one, tag_after_two })
                    } else {
                        None
                    },
                }
            }
            [of::<10>(), of::<12>(), of::<14>()]
        };

        #[inline(always)]
        fn apart<T: OfMessage, A: Before, B: Before>(
            self,
            key: &Key,
            (first, second): (A, B),
            message: &[u8],
            tag: &mut Block,
        ) {
            #[inline(never)]
            #[target_feature(enable = $features)]
            fn apart<T: OfMessage, A: Before, B: Before>(
                key: &Key,
                first: A,
                second: B,
                message: &[u8],
                tag: &mut Block,
            ) {
                T::tag(<$isa>::new(), key, (first, second), message, tag);
            }
            // Rust 1.95 obeys `inline(never)` only where the caller has the features, too.
            #[inline]
            #[target_feature(enable = $features)]
            fn jump<T: OfMessage, A: Before, B: Before>(
                key: &Key,
                first: A,
                second: B,
                message: &[u8],
                tag: &mut Block,
            ) {
                apart::<T, A, B>(key, first, second, message, tag);
            }
            // SAFETY: `self` shows that the machine has the features.
            unsafe { jump::<T, A, B>(key, first, second, message, tag) }
        }

        type One = One;
        type Single = Single;

        #[inline(always)]
        fn single(self) -> Single {
            Single::of(self)
        }
    };
}

pub(super) use row;
