import { randomBytes } from "node:crypto"
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  open,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFile,
  writeFileSync
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import { wordsOf } from "./wordsOf.ts"
import type { Stats } from "node:fs"

/** A file that could not be written. What was there before is as it was. */
export class CannotWrite extends Error {
  override readonly name = "CannotWrite"
  /** The cause in plain words, for a message that names the file in its own way. */
  readonly why: string
  constructor(file: string, cause: unknown) {
    const why = wordsOf(cause)
    super(`${file} cannot be written: ${why}`, { cause })
    this.why = why
  }
}

interface ReplaceOptions {
  /** The file's permissions; by default those of the file that is replaced, or what the umask leaves of 666. */
  readonly mode?: number
}

/**
 * Writes a file as a whole: a new file is written beside it, synced and renamed. Whatever fails (a full disk, a missing
 * permission), the earlier file stays to the byte, and the new one is removed. A symbolic link stays a link. What is no
 * regular file (a pipe, /dev/null, /dev/stdout) is written into, and so is a file that is a mount point. Throws
 * `CannotWrite`.
 *
 * Source: rename(2) replaces a file in one step; fsync(2) says why the folder is synced as well.
 */
export const replaceFile = (file: string, text: string, { mode }: ReplaceOptions = {}): void => {
  try {
    const target = targetOf(file)
    const part = target.isReplaced
      ? openPart(target, mode)
      : writtenThrough(openSync(target.path, target.flags))
    try {
      writeFileSync(part.fd, text)
      part.install()
    } finally {
      part.close()
    }
  } catch (error) {
    throw new CannotWrite(file, error)
  }
}

/** A file that is written bit by bit beside the one that it is to replace. */
export interface Replacement {
  /** Whether it is written beside the file until `install`; otherwise (a pipe, a device) into it at once. */
  readonly isBeside: boolean
  /** Whether there is an earlier file, which stays until `install`. */
  readonly replaces: boolean
  /**
   * Writes at the end. Where this fails after `install`, the file ends where the last write that succeeded ended.
   * Rejects with the system's error.
   */
  readonly append: (text: string) => Promise<void>
  /**
   * Syncs what has been written and puts it in the place of the file. What is appended afterwards goes into that same
   * file, and is synced when this is called again.
   */
  readonly install: () => void
  /** Ends the writing. A part that was not installed is removed. May be called again. */
  readonly close: () => void
}

/** Begins to write a file bit by bit, as `replaceFile` writes it as a whole. Rejects with `CannotWrite`. */
export const openReplacement = async (file: string): Promise<Replacement> => {
  try {
    const target = targetOf(file)
    // A pipe opens when another process reads it: only an asynchronous call lets signals through meanwhile.
    const part = target.isReplaced
      ? openPart(target)
      : writtenThrough(await promisify(open)(target.path, target.flags))
    let [length, isInstalled, isClosed] = [0, false, false]
    const close = (): void => {
      if (isClosed) return
      isClosed = true
      process.off("exit", close)
      part.close()
    }
    process.once("exit", close)
    return {
      isBeside: target.isReplaced,
      replaces: target.isReplaced && target.present !== undefined,
      append: async (text) => {
        try {
          await promisify(writeFile)(part.fd, text)
          length += Buffer.byteLength(text)
        } catch (error) {
          if (isInstalled && target.isReplaced) ftruncateSync(part.fd, length)
          throw error
        }
      },
      install: () => {
        part.install()
        isInstalled = true
      },
      close
    }
  } catch (error) {
    throw new CannotWrite(file, error)
  }
}

/** Throws `CannotWrite` where a file could not be replaced. Changes nothing. */
export const checkReplaceable = (file: string): void => {
  try {
    const target = targetOf(file)
    if (target.isReplaced) openPart(target).close()
    else accessSync(target.path, constants.W_OK)
  } catch (error) {
    throw new CannotWrite(file, error)
  }
}

interface Target {
  /** Where the file itself is: links are followed. */
  readonly path: string
  /** Whether another file takes its place; otherwise it is written into. */
  readonly isReplaced: boolean
  /** How it is opened to be written into: a file from its beginning, anything else as it comes. */
  readonly flags: "a" | "w"
  readonly present: Stats | undefined
}

/** A name of an open file of a process. To replace the file behind it would cut off what the process writes later. */
const descriptor = /^\/(dev\/(stdout|stderr|fd\/\d+)|proc\/[^/]+\/fd\/\d+)$/

const targetOf = (file: string): Target => {
  const present = statSync(file, { throwIfNoEntry: false })
  if (present?.isDirectory() === true) throw new Error("it is a folder")
  const path = followLinks(resolve(file))
  if ((present !== undefined && !present.isFile()) || descriptor.test(path))
    return { path, isReplaced: false, flags: "a", present }
  if (present !== undefined) refuseReadOnly(path, present)
  return { path, isReplaced: !isMountPoint(path), flags: "w", present }
}

/**
 * Whether the file itself is mounted, as containers have it (`docker run -v file:/file`): no other file can take its
 * place.
 *
 * Source: proc_pid_mountinfo(5), whose fifth field is the mount point with octal escapes.
 */
const isMountPoint = (path: string): boolean => {
  try {
    return readFileSync("/proc/self/mountinfo", "utf8")
      .split("\n")
      .some((line) => unescaped(line.split(" ")[4] ?? "") === path)
  } catch {
    // There is no such list on other systems, nor such mounts.
    return false
  }
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_escape, octal: string) => String.fromCharCode(parseInt(octal, 8)))

/** Follows a link whose target is missing as well: open(2) makes the target, and so does this. */
const followLinks = (path: string): string => {
  const link = descriptor.test(path) ? undefined : linkAt(path)
  return link === undefined ? path : followLinks(resolve(realpathSync(dirname(path)), link))
}

const linkAt = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** The folder's owner could replace a read-only file, but its permissions say that it is to stay. */
const refuseReadOnly = (path: string, { mode }: Stats): void => {
  if ((mode & constants.S_IWUSR) === 0) throw new Error("it is read-only")
  accessSync(path, constants.W_OK)
}

interface Part {
  readonly fd: number
  readonly install: () => void
  readonly close: () => void
}

const writtenThrough = (fd: number): Part => ({ fd, install: () => undefined, close: () => closeSync(fd) })

const permissions = 0o7777
const partBytes = 8

const openPart = ({ path, present }: Target, mode = present && present.mode & permissions): Part => {
  const folder = dirname(path)
  const beside = join(folder, `.charthouse-${randomBytes(partBytes).toString("hex")}.part`)
  const fd = create(beside, folder, mode)
  let isInstalled = false
  const close = (): void => {
    closeSync(fd)
    if (!isInstalled) rmSync(beside, { force: true })
  }
  try {
    if (present !== undefined) keepOwner(fd, present)
    // The umask has a say in the mode that a file is made with.
    if (mode !== undefined) fchmodSync(fd, mode)
  } catch (error) {
    close()
    throw error
  }
  const install = (): void => {
    fsyncSync(fd)
    if (isInstalled) return
    renameSync(beside, path)
    isInstalled = true
    syncFolder(folder)
  }
  return { fd, install, close }
}

const create = (beside: string, folder: string, mode: number | undefined): number => {
  try {
    return openSync(beside, "wx", mode ?? 0o666)
  } catch (error) {
    const isRefused = codeOf(error) === "EACCES" || codeOf(error) === "EPERM"
    if (!isRefused) throw error
    throw new Error(`no file can be made beside it in ${folder}: ${wordsOf(error)}`, { cause: error })
  }
}

/** Under sudo the file still belongs to its owner. Other users cannot give a file away, and own what they write. */
const keepOwner = (fd: number, { uid, gid }: Stats): void => {
  const made = fstatSync(fd)
  try {
    if (made.gid !== gid) fchownSync(fd, made.uid, gid)
    if (made.uid !== uid) fchownSync(fd, uid, gid)
  } catch (error) {
    if (codeOf(error) !== "EPERM") throw error
  }
}

/** Some systems do not open folders, and some file systems do not sync them. */
const syncFolder = (folder: string): void => {
  try {
    const fd = openSync(folder, "r")
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch {
    // The file itself is complete and in its place.
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : ""
