/**
 * Names that code in README.md, in docs/ and in doc comments may use without making them. Prefer a block that is complete:
 * a reader has to guess what stands here.
 */
export {};
