import { calledIn, OutOfScope } from "./step.ts"
import { timestampOf } from "../../domain/timestamps.ts"
import type { Command } from "../../domain/commands.ts"
import type { Deployment, ReplicaSet } from "../../domain/objects.ts"
import type { Chapter } from "./chapters.ts"

/** The instant at which a small world is: no time passes in it, though everything may happen. */
export const instantMillis = Date.UTC(2026, 0, 1)

/** The objects of a rollout while a turn of its controller is performed. */
export interface Objects {
  readonly deployment: Deployment
  /** By slot. */
  readonly replicaSets: ReadonlyArray<ReplicaSet | undefined>
}

/** What one command writes. */
export interface Write {
  readonly objects: Objects
  readonly what: (chapter: Chapter) => string
  /** The ReplicaSet that gets a size: this is a step that is judged. */
  readonly resized?: { readonly before: ReplicaSet | undefined; readonly after: ReplicaSet }
  readonly waiting?: Waiting | undefined
}

/** A ReplicaSet whose Pods have to wait for longer than before, or no longer at all. */
export interface Waiting {
  readonly slot: number
  readonly isLonger: boolean
}

type Writing = Exclude<Command["type"], "report" | "showRevision" | "recordEvent" | "lookAgain">

/** What is there once a command was carried out, as the server would store it. */
export const writeOf = (objects: Objects, command: Extract<Command, { readonly type: Writing }>): Write => {
  switch (command.type) {
    case "createReplicaSet": {
      const after = created(command.replicaSet, objects.replicaSets)
      const { name } = after.metadata
      return {
        objects: { ...objects, replicaSets: placed(objects.replicaSets, after) },
        what: (at) => `created ReplicaSet ${calledIn(at, name)} of ${after.spec.replicas}`,
        resized: { before: undefined, after }
      }
    }
    case "scaleReplicaSet": {
      const { name, replicasFrom, replicasTo, annotations } = command
      const before = named(objects, name)
      const after: ReplicaSet = {
        ...before,
        metadata: { ...before.metadata, annotations: { ...before.metadata.annotations, ...annotations } },
        spec: { ...before.spec, replicas: replicasTo },
        status:
          before.spec.replicas === replicasTo ? before.status : { ...before.status, observedGeneration: 0 }
      }
      return {
        objects: replaced(objects, name, after),
        what: (at) => `scaled ReplicaSet ${calledIn(at, name)} from ${replicasFrom} to ${replicasTo}`,
        resized: { before, after }
      }
    }
    case "renumberReplicaSet": {
      const { name, annotations, minReadySeconds } = command
      const before = named(objects, name)
      const spec = { ...before.spec, minReadySeconds }
      return {
        objects: replaced(objects, name, { ...before, metadata: { ...before.metadata, annotations }, spec }),
        what: (at) => `renumbered ReplicaSet ${calledIn(at, name)}`,
        waiting: waitingOf(objects, before, minReadySeconds)
      }
    }
    case "deleteReplicaSet": {
      const { name } = command.child
      return { objects: replaced(objects, name, undefined), what: () => `deleted ReplicaSet ${name}` }
    }
    default:
      throw new OutOfScope(`a rollout that comes to ${command.type} is no small world`)
  }
}

const named = ({ replicaSets }: Objects, name: string): ReplicaSet => {
  const replicaSet = replicaSets.find((it) => it?.metadata.name === name)
  if (replicaSet === undefined) throw new OutOfScope(`there is no ReplicaSet ${name}`)
  return replicaSet
}

const replaced = (objects: Objects, name: string, by: ReplicaSet | undefined): Objects => ({
  ...objects,
  replicaSets: objects.replicaSets.map((it) => (it?.metadata.name === name ? by : it))
})

/** Where Pods still have to wait, though not for as long, time alone lets them go on. */
const waitingOf = (
  { replicaSets }: Objects,
  before: ReplicaSet,
  minReadySeconds: number
): Waiting | undefined => {
  const { minReadySeconds: former = 0 } = before.spec
  if (former === minReadySeconds || (minReadySeconds > 0 && minReadySeconds < former)) return undefined
  return { slot: replicaSets.indexOf(before), isLonger: minReadySeconds > former }
}

/** A ReplicaSet as the server stores it; each is a second younger than the one before. */
const created = (
  draft: Extract<Command, { readonly type: "createReplicaSet" }>["replicaSet"],
  before: Objects["replicaSets"]
): ReplicaSet => {
  const name = draft.metadata.name ?? ""
  const age = before.filter((it) => it !== undefined).length
  return {
    apiVersion: draft.apiVersion,
    kind: draft.kind,
    metadata: {
      ...draft.metadata,
      name,
      uid: `uid-of-${name}`,
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: timestampOf(instantMillis + age * 1000)
    },
    // A template that is frozen is compared by what is remembered of it.
    spec: { ...draft.spec, template: Object.freeze(draft.spec.template) },
    status: { replicas: 0 }
  }
}

const placed = (replicaSets: Objects["replicaSets"], made: ReplicaSet): Objects["replicaSets"] => {
  const [first, second] = replicaSets
  if (first === undefined && second === undefined) return [made, undefined]
  if (second !== undefined) throw new OutOfScope("a third ReplicaSet is no part of a small world")
  return [first, made]
}
