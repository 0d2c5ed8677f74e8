import { joinEscapedLines } from "../../kubernetes/meta/text/escapeControls.ts"

/** One step of one actor with its reasons. */
export interface Step {
  /** Increases over all actors of a cluster. */
  readonly number: number
  readonly atMillis: number
  readonly uid: string
  readonly kind: string
  readonly namespace?: string
  /** `web-1/app` for a container. */
  readonly name: string
  /** The chart's name; in drawings, a state's id is `CHART.PATH`. */
  readonly chart: string
  /** `observed`, `refused`, or `after progressCheck (10m1s)`. */
  readonly event: string
  /** Paths of active states: `rollout.idle`. */
  readonly from: ReadonlyArray<string>
  readonly to: ReadonlyArray<string>
  readonly taken: ReadonlyArray<StepTransition>
  /** In the order of evaluation. */
  readonly guards: ReadonlyArray<EvaluatedGuard>
  /** The observation in numbers. */
  readonly numbers: ReadonlyArray<readonly [label: string, value: number | string]>
  readonly commands: ReadonlyArray<string>
  readonly writes: ReadonlyArray<StepWrite>
  /** The Kubernetes Events of the step's commands. */
  readonly events: ReadonlyArray<string>
  /** Omitted for timers and refusals. */
  readonly because?: StepCause
}

/** State paths; empty for the chart itself. */
export interface StepTransition {
  readonly source: string
  readonly target?: string
  readonly guard?: string
}

export interface EvaluatedGuard {
  /** The path of the state that evaluated the guard. */
  readonly state: string
  readonly name: string
  readonly holds: boolean
  readonly text: string
}

export interface StepWrite {
  readonly verb: string
  readonly resource: string
  readonly key: string
  readonly resourceVersion?: string
  /** The object was equal already: no version was made. */
  readonly changedNothing?: true
  readonly refused?: string
}

export interface StepCause {
  /** `ADDED`, `MODIFIED` or `DELETED`. */
  readonly type: string
  readonly resource: string
  readonly key: string
  readonly resourceVersion: number
  /** An actor, a controller or a client's field manager. */
  readonly by?: string
  /** Number of changes since the last observation, if more than one. */
  readonly changes?: number
}

export const stepText = (step: Step): string => joinEscapedLines([headOf(step), ...bodyOf(step)])

const headOf = (step: Step): string => {
  const { number, atMillis, kind, namespace, name, event, because } = step
  const key = namespace === undefined ? name : `${namespace}/${name}`
  const time = new Date(atMillis).toISOString().slice(11, 19)
  return `#${number} ${time} ${kind} ${key}: ${event}${because === undefined ? "" : `, ${causeText(because)}`}`
}

export const causeText = ({ type, resource, key, resourceVersion, by, changes = 1 }: StepCause): string => {
  const changeText = `${resource} ${key} ${changeVerbs[type] ?? "changed"} (version ${resourceVersion})`
  const otherChangesText =
    changes > 1 ? ` after ${changes - 1} other ${changes === 2 ? "change" : "changes"}` : ""
  return `because ${changeText}${by === undefined ? "" : ` by ${by}`}${otherChangesText}`
}

const changeVerbs: Readonly<Record<string, string>> = { ADDED: "came", DELETED: "went" }

/**
 * `saw`: numbers of the observation. `went`: state changes. `said`: commands. `did`: writes. `told`: Kubernetes Events.
 */
const bodyOf = (step: Step): ReadonlyArray<string> => [
  ...line("saw", step.numbers.map(([label, value]) => `${label} ${value}`).join(", ")),
  ...line("went", stateMoves(step).join(", ")),
  ...decisiveGuards(step).map(({ name, holds, text }) => `  ${holds ? "yes" : "no "}  ${name}: ${text}`),
  ...step.commands.map((command) => `  said ${command}`),
  ...step.writes.map((write) => `  did  ${stepWriteText(write)}`),
  ...step.events.map((event) => `  told ${event}`)
]

const line = (word: string, text: string): ReadonlyArray<string> =>
  text === "" ? [] : [`  ${word.padEnd(4)} ${text}`]

export const stepWriteText = (write: StepWrite): string => {
  const { verb, resource, key, resourceVersion, refused, changedNothing } = write
  const version = resourceVersion === undefined ? "" : ` (version ${resourceVersion})`
  const result = changedNothing === true ? ", which changed nothing" : version
  return `${verb} ${resource} ${key}${refused === undefined ? result : `, refused: ${refused}`}`
}

/** One state change for each region, which is the first part of a path. */
export const stateMoves = ({ from, to }: Step): ReadonlyArray<string> => {
  const exited = from.filter((path) => !to.includes(path))
  const entered = to.filter((path) => !from.includes(path))
  const isShared = (path: string): boolean =>
    [exited, entered].every((paths) => paths.some((it) => regionOf(it) === regionOf(path)))
  const groupOf = (path: string): string => (isShared(path) ? regionOf(path) : "")
  const groups = new Set([...entered, ...exited].map(groupOf))
  return [...groups].map((group) =>
    [exited, entered]
      .map((paths) => paths.filter((path) => groupOf(path) === group).join(" and "))
      .filter((text) => text !== "")
      .join(" -> ")
  )
}

const regionOf = (path: string): string => path.split(".")[0] ?? path

/** Guards that held, and those that failed before them in the last decision. */
export const decisiveGuards = ({ guards }: Step): ReadonlyArray<EvaluatedGuard> => {
  const lastState = guards.at(-1)?.state
  return guards.filter(({ holds, state }) => holds || state === lastState)
}
