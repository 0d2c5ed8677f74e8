/** A seed from a test's name (FNV-1a), so that each test has a repeatable run of its own. */
export const seedFromName = (name: string): number => {
  let hash = 0x81_1c_9d_c5
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 0x01_00_01_93)
  // `hash` has a sign; without its lowest bit, the rest is a non-negative number.
  return hash >>> 1
}
