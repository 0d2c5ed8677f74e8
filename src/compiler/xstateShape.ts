import {
  and,
  assign,
  cancel,
  emit,
  enqueueActions,
  log,
  not,
  or,
  raise,
  sendTo,
  spawnChild,
  stopChild
} from "xstate"

/** What a function of XState returns, and the fields that the compiler reads from it: a release may rename them. */
export interface BuiltInSample {
  readonly name: string
  readonly result: unknown
  readonly fields: Readonly<Record<string, unknown>>
}

const unusedFunction = (): never => {
  throw new Error("a sample is never run")
}
const id = "id"
const delay = 1
const event = { type: "event" }
const input = {}
const guards = ["guard"]

const actionSample = (name: string, result: unknown, fields: object): BuiltInSample => ({
  name,
  result,
  fields: { type: `xstate.${name}`, ...fields }
})

export const builtInSamples: ReadonlyArray<BuiltInSample> = [
  actionSample("assign", assign(unusedFunction), { assignment: unusedFunction }),
  actionSample("emit", emit(unusedFunction), { event: unusedFunction }),
  actionSample("raise", raise(event, { id, delay }), { event, id, delay }),
  actionSample("cancel", cancel(id), { sendId: id }),
  actionSample("sendTo", sendTo(id, event, { id, delay }), { to: id, event, id, delay }),
  actionSample("spawnChild", spawnChild("src", { id, input, systemId: "system", syncSnapshot: true }), {
    src: "src",
    id,
    input,
    systemId: "system",
    syncSnapshot: true
  }),
  actionSample("stopChild", stopChild(id), { actorRef: id }),
  actionSample("log", log(unusedFunction, "label"), { value: unusedFunction, label: "label" }),
  actionSample("enqueueActions", enqueueActions(unusedFunction), { collect: unusedFunction }),
  { name: "and", result: and(guards), fields: { guards } },
  { name: "or", result: or(guards), fields: { guards } },
  { name: "not", result: not("guard"), fields: { guards } }
]

/** The fields that XState no longer has, such as `assign.assignment`. */
export const unknownFields = (samples: ReadonlyArray<BuiltInSample>): ReadonlyArray<string> =>
  samples.flatMap(({ name, result, fields }) => {
    const record = result as Readonly<Record<string, unknown>>
    const marker = name === "and" || name === "or" || name === "not" ? "check" : "resolve"
    const missingFields = Object.entries(fields).filter(([field, value]) => !isSame(record[field], value))
    const names = [
      ...missingFields.map(([field]) => field),
      ...(typeof record[marker] === "function" ? [] : [marker])
    ]
    return names.map((field) => `${name}.${field}`)
  })

/** `not` puts its guard into an array of its own. */
const isSame = (found: unknown, value: unknown): boolean =>
  Array.isArray(value)
    ? Array.isArray(found) &&
      found.length === value.length &&
      value.every((item, index) => found[index] === item)
    : found === value

const fieldsNotFound = unknownFields(builtInSamples)

/** Why no chart is compiled with this release of XState; empty if its fields are known. */
export const xstateReleaseReasons: ReadonlyArray<string> =
  fieldsNotFound.length === 0 ? [] : [`this release of XState has no ${fieldsNotFound.join(", ")}`]
