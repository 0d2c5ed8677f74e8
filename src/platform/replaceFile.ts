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
import { systemErrorText } from "./systemErrorText.ts"
import type { Stats } from "node:fs"

export class CannotWrite extends Error {
  override readonly name = "CannotWrite"
  readonly why: string
  constructor(file: string, cause: unknown) {
    const why = systemErrorText(cause)
    super(`${file} cannot be written: ${why}`, { cause })
    this.why = why
  }
}

interface ReplaceOptions {
  /** By default the permissions of the file that is replaced. */
  readonly mode?: number
}

/**
 * Replaces a file atomically, but writes directly into mount points, pipes and devices. Throws `CannotWrite`.
 * Source: rename(2), fsync(2).
 */
export const replaceFile = (file: string, text: string, { mode }: ReplaceOptions = {}): void => {
  try {
    const target = targetOf(file)
    const openFile = target.isReplaced
      ? openTemporary(target, mode)
      : openDirectly(openSync(target.path, target.flags))
    try {
      writeFileSync(openFile.fd, text)
      openFile.install()
    } finally {
      openFile.close()
    }
  } catch (error) {
    throw new CannotWrite(file, error)
  }
}

export interface Replacement {
  /** False where the text is written directly. */
  readonly isTemporary: boolean
  /** Whether `install` replaces a file that is there already. */
  readonly replacesFile: boolean
  /** After `install`, a failed write is cut off the file again. */
  readonly append: (text: string) => Promise<void>
  /** Moves the temporary file to its place and syncs; later calls only sync. */
  readonly install: () => void
  /** Removes a file that is not installed. May be called twice. */
  readonly close: () => void
}

/** Throws `CannotWrite`. */
export const openReplacement = async (file: string): Promise<Replacement> => {
  try {
    const target = targetOf(file)
    // Asynchronous, since opening a pipe blocks until another process reads it.
    const openFile = target.isReplaced
      ? openTemporary(target)
      : openDirectly(await promisify(open)(target.path, target.flags))
    let [writtenBytes, isInstalled, isClosed] = [0, false, false]
    const close = (): void => {
      if (isClosed) return
      isClosed = true
      process.off("exit", close)
      openFile.close()
    }
    process.once("exit", close)
    return {
      isTemporary: target.isReplaced,
      replacesFile: target.isReplaced && target.replacedStats !== undefined,
      append: async (text) => {
        try {
          await promisify(writeFile)(openFile.fd, text)
          writtenBytes += Buffer.byteLength(text)
        } catch (error) {
          if (isInstalled && target.isReplaced) ftruncateSync(openFile.fd, writtenBytes)
          throw error
        }
      },
      install: () => {
        openFile.install()
        isInstalled = true
      },
      close
    }
  } catch (error) {
    throw new CannotWrite(file, error)
  }
}

/** Throws `CannotWrite` where `replaceFile` would, without writing. */
export const checkReplaceable = (file: string): void => {
  try {
    const target = targetOf(file)
    if (target.isReplaced) openTemporary(target).close()
    else accessSync(target.path, constants.W_OK)
  } catch (error) {
    throw new CannotWrite(file, error)
  }
}

interface Target {
  readonly path: string
  /** Whether a temporary file is moved to the path; false where the text is written directly. */
  readonly isReplaced: boolean
  /** `a` appends, for pipes and devices; `w` empties the file first, for mount points. */
  readonly flags: "a" | "w"
  readonly replacedStats: Stats | undefined
}

/** A renamed file at such a path would not be the process's output: the text is written to the descriptor. */
const descriptorPath = /^\/(dev\/(stdout|stderr|fd\/\d+)|proc\/[^/]+\/fd\/\d+)$/

const targetOf = (file: string): Target => {
  const replacedStats = statSync(file, { throwIfNoEntry: false })
  if (replacedStats?.isDirectory() === true) throw new Error("it is a folder")
  const path = followLinks(resolve(file))
  if ((replacedStats !== undefined && !replacedStats.isFile()) || descriptorPath.test(path))
    return { path, isReplaced: false, flags: "a", replacedStats }
  if (replacedStats !== undefined) requireWritable(path, replacedStats)
  return { path, isReplaced: !isMountPoint(path), flags: "w", replacedStats }
}

/** Source: proc_pid_mountinfo(5): the fifth field is the mount point with octal escapes. */
const isMountPoint = (path: string): boolean => {
  try {
    return readFileSync("/proc/self/mountinfo", "utf8")
      .split("\n")
      .some((line) => unescapeOctal(line.split(" ")[4] ?? "") === path)
  } catch {
    return false
  }
}

const unescapeOctal = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_escape, octal: string) => String.fromCharCode(parseInt(octal, 8)))

/** Also follows a link to a missing file, as open(2) does. */
const followLinks = (path: string): string => {
  const link = descriptorPath.test(path) ? undefined : linkAt(path)
  return link === undefined ? path : followLinks(resolve(realpathSync(dirname(path)), link))
}

const linkAt = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** A rename would succeed on a read-only file, against the user's intent. */
const requireWritable = (path: string, { mode }: Stats): void => {
  if ((mode & constants.S_IWUSR) === 0) throw new Error("it is read-only")
  accessSync(path, constants.W_OK)
}

interface OpenFile {
  readonly fd: number
  readonly install: () => void
  readonly close: () => void
}

const openDirectly = (fd: number): OpenFile => ({ fd, install: () => undefined, close: () => closeSync(fd) })

const permissionBits = 0o7777
const randomNameBytes = 8

const openTemporary = (
  { path, replacedStats }: Target,
  mode = replacedStats && replacedStats.mode & permissionBits
): OpenFile => {
  const folder = dirname(path)
  const temporaryPath = join(folder, `.charthouse-${randomBytes(randomNameBytes).toString("hex")}.part`)
  const fd = createFile(temporaryPath, folder, mode)
  let isInstalled = false
  const close = (): void => {
    closeSync(fd)
    if (!isInstalled) rmSync(temporaryPath, { force: true })
  }
  try {
    if (replacedStats !== undefined) copyOwner(fd, replacedStats)
    if (mode !== undefined) fchmodSync(fd, mode)
  } catch (error) {
    close()
    throw error
  }
  const install = (): void => {
    fsyncSync(fd)
    if (isInstalled) return
    renameSync(temporaryPath, path)
    isInstalled = true
    syncFolder(folder)
  }
  return { fd, install, close }
}

const createFile = (temporaryPath: string, folder: string, mode: number | undefined): number => {
  try {
    return openSync(temporaryPath, "wx", mode ?? 0o666)
  } catch (error) {
    const isRefused = codeOf(error) === "EACCES" || codeOf(error) === "EPERM"
    if (!isRefused) throw error
    throw new Error(`no file can be made beside it in ${folder}: ${systemErrorText(error)}`, { cause: error })
  }
}

const copyOwner = (fd: number, { uid, gid }: Stats): void => {
  const stat = fstatSync(fd)
  try {
    if (stat.gid !== gid) fchownSync(fd, stat.uid, gid)
    if (stat.uid !== uid) fchownSync(fd, uid, gid)
  } catch (error) {
    // Only root may give a file to another user.
    if (codeOf(error) !== "EPERM") throw error
  }
}

/** Some systems cannot open folders, and some file systems cannot sync them. */
const syncFolder = (folder: string): void => {
  try {
    const fd = openSync(folder, "r")
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch {}
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : ""
