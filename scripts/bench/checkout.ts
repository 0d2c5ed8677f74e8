import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { CannotMeasure } from "./measure.ts"
import type * as Library from "charthouse"
import type * as Inspector from "charthouse/inspect"
import type * as Planner from "charthouse/plan"
import type * as Stories from "charthouse/scenario"

/**
 * A built checkout of some commit, as its users see it: the package's modules and its command. Only this file
 * translates names that earlier commits had.
 */
export interface Checkout {
  readonly folder: string
  /** Whether these scripts are part of it: only then its unexported parts can be measured. */
  readonly isHere: boolean
  /** Throws `CannotMeasure` if no command is built. */
  readonly command: () => string
  /** URL of the file that a program imports as `charthouse`. Throws `CannotMeasure` if there is none. */
  readonly libraryFile: () => string
  readonly library: () => Promise<typeof Library>
  readonly inspector: () => Promise<typeof Inspector>
  readonly planner: () => Promise<typeof Planner>
  readonly stories: () => Promise<typeof Stories>
}

const here = resolve(import.meta.dirname, "../..")

export const checkoutAt = (folder: string): Checkout => {
  const require = createRequire(join(folder, "package.json"))
  const addressOf = (entry: string): string => {
    try {
      return pathToFileURL(require.resolve(entry)).href
    } catch {
      throw new CannotMeasure(`its package has no entry ${entry}`)
    }
  }
  // Has the types of this checkout: an export that an older commit lacks fails when it is called.
  const load = async <A>(entry: string): Promise<A> => (await import(addressOf(entry))) as A
  return {
    folder,
    isHere: resolve(folder) === here,
    command: () => commandOf(folder),
    libraryFile: () => addressOf("charthouse"),
    library: () => load("charthouse"),
    inspector: () => load("charthouse/inspect"),
    planner: () => load("charthouse/plan"),
    stories: () => load("charthouse/scenario")
  }
}

const commandOf = (folder: string): string => {
  const places = ["dist/src/packed/command/start.js", "dist/src/cli/main.js"]
  const path = places.map((place) => join(folder, place)).find((place) => existsSync(place))
  if (path === undefined) throw new CannotMeasure("it has no command that is built")
  return path
}
