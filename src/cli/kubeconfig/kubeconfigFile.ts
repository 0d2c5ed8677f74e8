import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync
} from "node:fs"
import { dirname } from "node:path"
import { isMap, isSeq, parseDocument } from "yaml"
import type { Document } from "yaml"
import { kubeconfigPaths } from "../../client/kubeconfigPaths.ts"
import { CannotWrite, checkReplaceable, replaceFile } from "../../platform/replaceFile.ts"
import { systemErrorText } from "../../platform/systemErrorText.ts"

export class KubeconfigError extends Error {
  override readonly name = "KubeconfigError"
}

/** The file that kubectl writes to: the first existing one of `$KUBECONFIG`, or `~/.kube/config`. */
export const kubeconfigPath = (env: NodeJS.ProcessEnv): string => {
  const paths = kubeconfigPaths(env)
  return paths.find((path) => existsSync(path)) ?? paths[0] ?? ""
}

export interface KubeconfigContent {
  readonly text: string
  readonly mode: number
}

export const readKubeconfig = (path: string): KubeconfigContent | undefined => {
  if (!existsSync(path)) return undefined
  try {
    return { text: readFileSync(path, "utf8"), mode: statSync(path).mode & permissions }
  } catch (error) {
    throw new KubeconfigError(`${path}: the kubeconfig cannot be read: ${systemErrorText(error)}`)
  }
}

const permissions = 0o777

export const kubeconfigLists = ["clusters", "users", "contexts"] as const

/** The document keeps its comments. */
export const parseKubeconfig = (path: string, text: string): Document => {
  const document = parseDocument(text)
  const [error] = document.errors
  if (error !== undefined) {
    throw new KubeconfigError(`${path}: the kubeconfig is not YAML: ${error.message.split("\n")[0] ?? ""}`)
  }
  if (document.contents === null) {
    document.contents = document.createNode({ apiVersion: "v1", kind: "Config" }) as never
  }
  if (!isMap(document.contents)) throw new KubeconfigError(`${path}: this is not a kubeconfig`)
  for (const list of kubeconfigLists) {
    const items = document.get(list)
    if (items !== undefined && items !== null && !isSeq(items)) {
      throw new KubeconfigError(`${path}: "${list}" of the kubeconfig is not a list`)
    }
  }
  return document
}

/**
 * Writes atomically, under the lock file that kubectl respects. `change` returns the new content, undefined to remove
 * the file, or `present` for no change. Throws `KubeconfigError`.
 */
export const changeKubeconfig = (
  path: string,
  change: (present: KubeconfigContent | undefined) => KubeconfigContent | undefined
): void => {
  makeFolder(path, dirname(path))
  const unlock = lock(path)
  try {
    const file = existsSync(path) ? realpathSync(path) : path
    const present = readKubeconfig(file)
    const next = change(present)
    if (next === present) return
    if (next === undefined) {
      checkReplaceable(file)
      rmSync(file, { force: true })
    } else replaceFile(file, next.text, { mode: next.mode })
  } catch (error) {
    if (error instanceof CannotWrite) {
      throw new KubeconfigError(`${path}: the kubeconfig cannot be written: ${error.why}`, { cause: error })
    }
    if (error instanceof KubeconfigError || !(error instanceof Error && "code" in error)) throw error
    throw new KubeconfigError(`${path}: the kubeconfig cannot be written: ${systemErrorText(error)}`)
  } finally {
    unlock()
  }
}

/** Does not use the `recursive` option, with which mkdir never returns where no folder can be made (in /proc). */
const makeFolder = (kubeconfig: string, folder: string): void => {
  if (existsSync(folder)) {
    if (statSync(folder).isDirectory()) return
    throw new KubeconfigError(`${kubeconfig}: the kubeconfig cannot be written: ${folder} is no folder`)
  }
  makeFolder(kubeconfig, dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (existsSync(folder)) return
    const why = `the folder ${folder} cannot be made: ${systemErrorText(error)}`
    throw new KubeconfigError(`${kubeconfig}: the kubeconfig cannot be written: ${why}`, { cause: error })
  }
}

/** kubectl holds the lock for some milliseconds. */
const lockTimeoutMillis = 1000
const lockRetryMillis = 20

/** Waits synchronously: an exit handler must finish without a turn of the event loop. */
const lock = (path: string): (() => void) => {
  const lockFile = `${path}.lock`
  for (let waitedMillis = 0; ; waitedMillis += lockRetryMillis) {
    try {
      closeSync(openSync(lockFile, "wx", ownerOnlyMode))
      return () => rmSync(lockFile, { force: true })
    } catch (error) {
      const isLocked = error instanceof Error && "code" in error && error.code === "EEXIST"
      if (!isLocked || waitedMillis >= lockTimeoutMillis) {
        const why = isLocked
          ? `it is locked (${lockFile} exists; remove it if no program is writing)`
          : systemErrorText(error)
        throw new KubeconfigError(`${path}: the kubeconfig cannot be written: ${why}`)
      }
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lockRetryMillis)
  }
}

/** The mode of files with a token. */
export const ownerOnlyMode = 0o600
