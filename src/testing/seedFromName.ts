/** Hashes the test's name (FNV-1a), so that each test has a repeatable run. */
export const seedFromName = (name: string): number => {
  let hash = 0x81_1c_9d_c5
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 0x01_00_01_93)
  // `hash` is signed.
  return hash >>> 1
}
