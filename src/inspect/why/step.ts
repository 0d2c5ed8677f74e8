import { joinLines } from "../../domain/escapeControls.ts"

/** One step of one actor, with the reason for it: what the page, the command line and the library show of a chart. */
export interface Step {
  /** Counts over all actors of a cluster, in the order in which they moved. */
  readonly number: number
  readonly atMillis: number
  readonly uid: string
  readonly kind: string
  readonly namespace?: string
  /** A container is called by its Pod and its own name, `web-1/app`. */
  readonly name: string
  /** The chart it runs; the id of a state in a drawing is this, a dot and the state's path. */
  readonly chart: string
  /** What it was told: `observed`, `refused`, `after progressCheck (10m1s)`. */
  readonly event: string
  /** Paths of the states it was in, `rollout.idle`, and of those that it came to. */
  readonly from: ReadonlyArray<string>
  readonly to: ReadonlyArray<string>
  readonly taken: ReadonlyArray<TakenTransition>
  /** In the order in which they were asked. */
  readonly guards: ReadonlyArray<AskedGuard>
  /** What it saw, as names and numbers. */
  readonly numbers: ReadonlyArray<readonly [label: string, value: number | string]>
  /** What it asked for. */
  readonly commands: ReadonlyArray<string>
  /** What came of that. */
  readonly writes: ReadonlyArray<StepWrite>
  readonly events: ReadonlyArray<string>
  /** The change that woke it; left out where time or a refusal did. */
  readonly because?: StepCause
}

/** Paths of states; the path of the chart itself is empty. */
export interface TakenTransition {
  readonly source: string
  readonly target?: string
  readonly guard?: string
}

export interface AskedGuard {
  /** The path of the state that asked. */
  readonly state: string
  readonly name: string
  readonly holds: boolean
  readonly text: string
}

export interface StepWrite {
  readonly verb: string
  readonly resource: string
  readonly key: string
  /** That of the object as it was written. */
  readonly resourceVersion?: string
  /** It was so already: no version was made. */
  readonly changedNothing?: true
  /** Why it was refused. */
  readonly refused?: string
}

export interface StepCause {
  readonly type: string
  readonly resource: string
  readonly key: string
  readonly resourceVersion: number
  /** Who made the change, where that is known: an actor, a controller, or a client by what it calls itself. */
  readonly by?: string
  /** Changes that it had not looked at, where there were several; this is the last of them. */
  readonly changes?: number
}

/** A step as a short paragraph for people. */
export const stepText = (step: Step): string => joinLines([headOf(step), ...bodyOf(step)])

const headOf = (step: Step): string => {
  const { number, atMillis, kind, namespace, name, event, because } = step
  const place = namespace === undefined ? name : `${namespace}/${name}`
  const time = new Date(atMillis).toISOString().slice(11, 19)
  return `#${number} ${time} ${kind} ${place}: ${event}${because === undefined ? "" : `, ${causeText(because)}`}`
}

/** What woke it, as a clause. */
export const causeText = ({ type, resource, key, resourceVersion, by, changes = 1 }: StepCause): string => {
  const what = `${resource} ${key} ${happened[type] ?? "changed"} (version ${resourceVersion})`
  const more = changes > 1 ? ` after ${changes - 1} other ${changes === 2 ? "change" : "changes"}` : ""
  return `because ${what}${by === undefined ? "" : ` by ${by}`}${more}`
}

const happened: Readonly<Record<string, string>> = { ADDED: "came", DELETED: "went" }

const bodyOf = (step: Step): ReadonlyArray<string> => [
  ...line("saw", step.numbers.map(([label, value]) => `${label} ${value}`).join(", ")),
  ...line("went", movesOf(step).join(", ")),
  ...toldGuards(step).map(({ name, holds, text }) => `  ${holds ? "yes" : "no "}  ${name}: ${text}`),
  ...step.commands.map((command) => `  said ${command}`),
  ...step.writes.map((write) => `  did  ${writeText(write)}`),
  ...step.events.map((event) => `  told ${event}`)
]

const line = (word: string, text: string): ReadonlyArray<string> =>
  text === "" ? [] : [`  ${word.padEnd(4)} ${text}`]

/** What it asked of the store, and what came of that. */
export const writeText = (write: StepWrite): string => {
  const { verb, resource, key, resourceVersion, refused, changedNothing } = write
  const version = resourceVersion === undefined ? "" : ` (version ${resourceVersion})`
  const came = changedNothing === true ? ", which changed nothing" : version
  return `${verb} ${resource} ${key}${refused === undefined ? came : `, refused: ${refused}`}`
}

/** Where it was and where it is: each region of the chart by itself, what crosses from one to another in one. */
export const movesOf = ({ from, to }: Step): ReadonlyArray<string> => {
  const left = from.filter((path) => !to.includes(path))
  const come = to.filter((path) => !from.includes(path))
  const isShared = (path: string): boolean =>
    [left, come].every((paths) => paths.some((it) => regionOf(it) === regionOf(path)))
  const groupOf = (path: string): string => (isShared(path) ? regionOf(path) : "")
  const groups = new Set([...come, ...left].map(groupOf))
  return [...groups].map((group) =>
    [left, come]
      .map((paths) => paths.filter((path) => groupOf(path) === group).join(" and "))
      .filter((text) => text !== "")
      .join(" -> ")
  )
}

const regionOf = (path: string): string => path.split(".")[0] ?? path

/** Every guard that held, and of the last decision those before it that did not. */
export const toldGuards = ({ guards }: Step): ReadonlyArray<AskedGuard> => {
  const last = guards.at(-1)?.state
  return guards.filter(({ holds, state }) => holds || state === last)
}
