import { inflateRawSync } from "node:zlib"

/** Reads one file of an archive in memory: as much of the formats as published packages use. */

const tarBlock = 512

export const fileInTar = (tar: Buffer, path: string): Buffer => {
  for (let at = 0; at + tarBlock <= tar.length;) {
    const name = tar.toString("utf8", at, at + 100).replace(/\0.*$/s, "")
    if (name === "") break
    const size = Number.parseInt(tar.toString("latin1", at + 124, at + 136), 8)
    const begin = at + tarBlock
    if (name === path) return tar.subarray(begin, begin + size)
    at = begin + Math.ceil(size / tarBlock) * tarBlock
  }
  throw new Error(`the archive has no ${path}`)
}

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const endSize = 22
const entrySize = 46
const localSize = 30
const deflated = 8

export const fileInZip = (zip: Buffer, path: string): Buffer => {
  let end = zip.length - endSize
  while (end >= 0 && zip.readUInt32LE(end) !== endSignature) end -= 1
  if (end < 0) throw new Error("this is no zip archive")
  let at = zip.readUInt32LE(end + 16)
  while (zip.readUInt32LE(at) === entrySignature) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field))
    const nameEnd = at + entrySize + (nameLength ?? 0)
    if (zip.toString("utf8", at + entrySize, nameEnd) === path) {
      const packedSize = zip.readUInt32LE(at + 20)
      const local = zip.readUInt32LE(at + 42)
      const begin = local + localSize + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
      const packed = zip.subarray(begin, begin + packedSize)
      return zip.readUInt16LE(at + 10) === deflated ? inflateRawSync(packed) : packed
    }
    at = nameEnd + (extraLength ?? 0) + (commentLength ?? 0)
  }
  throw new Error(`the archive has no ${path}`)
}
