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
import { kubeconfigPaths } from "../remote/kubeconfigPaths.ts"
import { CannotWrite, checkReplaceable, replaceFile } from "../replaceFile.ts"
import { wordsOf } from "../wordsOf.ts"

/** A kubeconfig that cannot be used as it is; nothing has been written. */
export class KubeconfigProblem extends Error {
  override readonly name = "KubeconfigProblem"
}

/** The file that kubectl would write to: the first of `$KUBECONFIG`, or `~/.kube/config`. */
export const kubeconfigPath = (env: NodeJS.ProcessEnv): string => {
  const paths = kubeconfigPaths(env)
  return paths.find((path) => existsSync(path)) ?? paths[0] ?? ""
}

/** What a kubeconfig is at one moment: to the last byte, and who may read it. */
export interface Kubeconfig {
  readonly text: string
  readonly mode: number
}

/** What a kubeconfig says; undefined where there is none. */
export const readKubeconfig = (path: string): Kubeconfig | undefined => {
  if (!existsSync(path)) return undefined
  try {
    return { text: readFileSync(path, "utf8"), mode: statSync(path).mode & permissions }
  } catch (error) {
    throw new KubeconfigProblem(`${path}: the kubeconfig cannot be read: ${wordsOf(error)}`)
  }
}

const permissions = 0o777

/** The lists of a kubeconfig in which a server has its entries. */
export const lists = ["clusters", "users", "contexts"] as const

/** A kubeconfig as it can be looked through and changed, comments included. */
export const documentOf = (path: string, text: string): Document => {
  const document = parseDocument(text)
  const [error] = document.errors
  if (error !== undefined) {
    throw new KubeconfigProblem(`${path}: the kubeconfig is not YAML: ${error.message.split("\n")[0] ?? ""}`)
  }
  if (document.contents === null) {
    document.contents = document.createNode({ apiVersion: "v1", kind: "Config" }) as never
  }
  if (!isMap(document.contents)) throw new KubeconfigProblem(`${path}: this is not a kubeconfig`)
  for (const list of lists) {
    const found = document.get(list)
    if (found !== undefined && found !== null && !isSeq(found)) {
      throw new KubeconfigProblem(`${path}: "${list}" of the kubeconfig is not a list`)
    }
  }
  return document
}

/**
 * Changes a kubeconfig under the lock that kubectl respects, whole or not at all. `change` is told what is there and
 * says what is to be: undefined is no file, and what it was told leaves the file alone.
 */
export const changeKubeconfig = (
  path: string,
  change: (present: Kubeconfig | undefined) => Kubeconfig | undefined
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
    } else replaceFile(file, next.text, next)
  } catch (error) {
    if (error instanceof CannotWrite) {
      throw new KubeconfigProblem(`${path}: the kubeconfig cannot be written: ${error.why}`, { cause: error })
    }
    if (error instanceof KubeconfigProblem || !(error instanceof Error && "code" in error)) throw error
    throw new KubeconfigProblem(`${path}: the kubeconfig cannot be written: ${wordsOf(error)}`)
  } finally {
    unlock()
  }
}

/** Folder by folder: where a folder cannot be made (in /proc), Node's own way of making them all never ends. */
const makeFolder = (path: string, folder: string): void => {
  if (existsSync(folder)) {
    if (statSync(folder).isDirectory()) return
    throw new KubeconfigProblem(`${path}: the kubeconfig cannot be written: ${folder} is no folder`)
  }
  makeFolder(path, dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Somebody else was quicker, or nobody can.
    if (existsSync(folder)) return
    const why = `the folder ${folder} cannot be made: ${wordsOf(error)}`
    throw new KubeconfigProblem(`${path}: the kubeconfig cannot be written: ${why}`, { cause: error })
  }
}

/** Somebody who writes a kubeconfig has its lock for some milliseconds. */
const patienceMillis = 1000
const breathMillis = 20

/** Takes the lock, waiting without letting go: what ends a process has no later in which to come back. */
const lock = (path: string): (() => void) => {
  const held = `${path}.lock`
  for (let waited = 0; ; waited += breathMillis) {
    try {
      closeSync(openSync(held, "wx", ownerOnly))
      return () => rmSync(held, { force: true })
    } catch (error) {
      const isTaken = error instanceof Error && "code" in error && error.code === "EEXIST"
      if (!isTaken || waited >= patienceMillis) {
        const why = isTaken ? `it is locked (${held} exists; remove it if nobody writes)` : wordsOf(error)
        throw new KubeconfigProblem(`${path}: the kubeconfig cannot be written: ${why}`)
      }
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, breathMillis)
  }
}

/** Of a kubeconfig with a token in it. */
export const ownerOnly = 0o600
