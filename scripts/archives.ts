import { inflateRawSync } from "node:zlib"

/** Reads one file of an archive in memory: as much of the formats as published packages use. */

const tarBlock = 512
/** Offsets in the header of a tar entry. */
const tarName = { begin: 0, end: 100 }
const tarSize = { begin: 124, end: 136 }

export const fileInTar = (tar: Buffer, path: string): Buffer => {
  for (let at = 0; at + tarBlock <= tar.length;) {
    const name = tar.toString("utf8", at + tarName.begin, at + tarName.end).replace(/\0.*$/s, "")
    if (name === "") break
    const size = Number.parseInt(tar.toString("latin1", at + tarSize.begin, at + tarSize.end), 8)
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
/** Offsets in the end record, in an entry of the central directory, and in the local header before a file's bytes. */
const endRecord = { directoryOffset: 16 }
const entry = { method: 10, packedSize: 20, nameLength: 28, extraLength: 30, commentLength: 32, local: 42 }
const localHeader = { nameLength: 26, extraLength: 28 }
const deflated = 8

export const fileInZip = (zip: Buffer, path: string): Buffer => {
  let end = zip.length - endSize
  while (end >= 0 && zip.readUInt32LE(end) !== endSignature) end -= 1
  if (end < 0) throw new Error("this is no zip archive")
  let at = zip.readUInt32LE(end + endRecord.directoryOffset)
  while (zip.readUInt32LE(at) === entrySignature) {
    const nameEnd = at + entrySize + zip.readUInt16LE(at + entry.nameLength)
    if (zip.toString("utf8", at + entrySize, nameEnd) === path) {
      const packedSize = zip.readUInt32LE(at + entry.packedSize)
      const local = zip.readUInt32LE(at + entry.local)
      const begin =
        local +
        localSize +
        zip.readUInt16LE(local + localHeader.nameLength) +
        zip.readUInt16LE(local + localHeader.extraLength)
      const packed = zip.subarray(begin, begin + packedSize)
      return zip.readUInt16LE(at + entry.method) === deflated ? inflateRawSync(packed) : packed
    }
    at = nameEnd + zip.readUInt16LE(at + entry.extraLength) + zip.readUInt16LE(at + entry.commentLength)
  }
  throw new Error(`the archive has no ${path}`)
}
