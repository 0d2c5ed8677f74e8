/** A seed from a test's name: the same test has the same run, and another test another one. */
export const seedOf = (name: string): number => {
  // FNV-1a, which spreads names that are almost the same.
  let hash = 0x81_1c_9d_c5
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 0x01_00_01_93)
  return hash >>> 1
}
