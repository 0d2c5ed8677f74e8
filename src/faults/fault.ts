import type { Delay } from "../behaviours/behaviour.ts"

/** Go's notation: `250ms`, `1m30s`. */
type Duration = string

/**
 * Something that goes wrong, as data: in a story's YAML, in TypeScript, in a report. What a fault does to others than
 * itself ends when `for` is over; a fault without `for` lasts until the end, or is over at once where it is a deed.
 */
export type Fault = FaultOf[FaultName] & {
  /** How long it lasts. */
  readonly for?: Duration
}

/** A fault as code has it: its times may be in milliseconds too. */
export type FaultGiven = InMillis<Fault>

type InMillis<F> = F extends Fault
  ? { readonly [K in keyof F]: K extends "for" | "by" | "ready" | "unready" ? F[K] | number : F[K] }
  : never

export type FaultName = keyof FaultOf

/** Every fault by its name. */
interface FaultOf {
  // Pods
  /**
   * Containers end now with an exit code (1, or 137 for OOMKilled); with `for`, every run that begins meanwhile ends as
   * well, before it has answered: of the Pods that were drawn, or where all are meant of new ones too.
   */
  readonly crash: {
    readonly fault: "crash"
    readonly pods: PodChoice
    readonly exitCode?: number
    readonly reason?: "Error" | "OOMKilled"
  }
  /** The whole Pod ends as Failed, given up by its kubelet: `Evicted` where no other reason is said. */
  readonly fail: { readonly fault: "fail"; readonly pods: PodChoice; readonly reason?: string }
  /** Deleted through the API, as `kubectl delete pod` does. */
  readonly kill: { readonly fault: "kill"; readonly pods: PodChoice; readonly gracePeriodSeconds?: number }
  /**
   * Readiness comes and goes: of the Pods that were drawn, or where all are meant of new ones too. Without `for` the
   * cluster never comes to rest, unless those that were drawn are gone.
   */
  readonly flap: {
    readonly fault: "flap"
    readonly pods: PodChoice
    readonly ready: Duration
    readonly unready: Duration
  }
  /**
   * Answers no probe and no request any more: a readiness probe takes it out of service, a liveness probe has it
   * started again, after which it is well. With neither nobody notices. Without `for` it is over when all that hung
   * have ended.
   */
  readonly hang: { readonly fault: "hang"; readonly pods: PodChoice }
  /** Pods made meanwhile take so much longer until they answer, in every run; with `count`, the first that come. */
  readonly slowStart: { readonly fault: "slowStart"; readonly pods: PodChoice; readonly by: Delay }
  /** An image that cannot be pulled; `*` matches anything. Pulls under way fail as well. */
  readonly pullFails: { readonly fault: "pullFails"; readonly image: string; readonly error?: string }
  // Nodes
  /** Its kubelet is silent. */
  readonly nodeLost: { readonly fault: "nodeLost"; readonly node: string }
  /**
   * Cordoned, and its Pods evicted: those that their budgets do not let go are asked for again every 5 s. Uncordoned at
   * the end.
   */
  readonly nodeDrained: { readonly fault: "nodeDrained"; readonly node: string }
  /** Unschedulable. */
  readonly nodeCordoned: { readonly fault: "nodeCordoned"; readonly node: string }
  /** Takes no Pod more than it has. */
  readonly nodeFull: { readonly fault: "nodeFull"; readonly node: string }
  // Quota
  /** A ResourceQuota appears; without `hard`, one that is used up: no Pod more than there are. */
  readonly quotaExhausted: {
    readonly fault: "quotaExhausted"
    readonly namespace?: string
    readonly hard?: Readonly<Record<string, string>>
  }
  // Controllers
  /** Does nothing, and looks at everything anew when it is back. */
  readonly controllerStopped: { readonly fault: "controllerStopped"; readonly controller: ControllerName }
  /** Takes so long over each object. */
  readonly controllerSlow: {
    readonly fault: "controllerSlow"
    readonly controller: ControllerName
    readonly by: Duration
  }
  /** Is killed after so many more of its writes (0: now), the rest of its commands lost, and starts again. */
  readonly controllerRestarted: {
    readonly fault: "controllerRestarted"
    readonly controller: ControllerName
    readonly afterWrites?: number
  }
  // The API
  /**
   * Writes are refused: 409 Conflict, 429, 500, or 504 (carried out all the same, and the answer is lost). Those of
   * clients are told apart by what is requested, as `cluster.requests` does: a PATCH of `/scale` is a `patch`, an
   * eviction a `create`; and a 409 meets no `create` of theirs, of which it would say that the object is there already.
   */
  readonly writesRefused: {
    readonly fault: "writesRefused"
    readonly of: Party
    readonly code: 409 | 429 | 500 | 504
    readonly resource?: string
    readonly verb?: WriteVerb
    /** So many refusals: a controller that is told 429 asks again, and may be refused again. */
    readonly times?: number
  }
  readonly writesSlow: { readonly fault: "writesSlow"; readonly of: Party; readonly by: Duration }
  /** Every change is heard of so much later, by watches and by what is read from a cache. */
  readonly watchLate: {
    readonly fault: "watchLate"
    readonly of: Party
    readonly by: Duration
    readonly reads?: ReadScope
  }
  /** Watches break: what happens meanwhile is seen as its outcome alone, when the list is read again at the end. */
  readonly watchDropped: { readonly fault: "watchDropped"; readonly of: Party }
  /** Every change is told twice. */
  readonly watchRepeated: { readonly fault: "watchRepeated"; readonly of: Party }
  /** Reads and lists from a cache answer with what was so when the fault began. */
  readonly staleReads: { readonly fault: "staleReads"; readonly of: Party; readonly reads?: ReadScope }
  // Time
  /** The machine slept: time is so much later at once, and everything due is late. */
  readonly clockJump: { readonly fault: "clockJump"; readonly by: Duration }
}

export type WriteVerb = "create" | "update" | "patch" | "delete" | "status"

/**
 * Which reads of clients are old: those that a cache may answer (`resourceVersion=0`), or all of them, as behind a
 * load balancer that has a server left over. `cached` where it is left out.
 */
export type ReadScope = "cached" | "all"

export const controllerNames = [
  "deployment",
  "replicaSet",
  "pod",
  "node",
  "scheduler",
  "garbageCollector",
  "podGarbageCollector",
  "namespace",
  "endpoints",
  "disruptionBudget",
  "resourceQuota"
] as const

/** Who runs in the control plane, as faults name them. */
export type ControllerName = (typeof controllerNames)[number]

/** Whom a fault of the API meets: one controller, all of them, or every client from outside. */
export type Party = ControllerName | "controllers" | "clients"

/** Which Pods a fault meets: all that are chosen, or `count` of them drawn from the seed. */
export interface PodChoice {
  readonly namespace?: string
  /** Those of a Deployment, in the namespace `default` where none is said; other choices look everywhere. */
  readonly deployment?: string
  /** With a Deployment: only those of its present template, or only the others. */
  readonly revision?: "new" | "old"
  readonly labels?: Readonly<Record<string, string>>
  /** A glob. */
  readonly name?: string
  readonly node?: string
  readonly count?: number
}

/** Faults drawn from the seed. */
export interface RandomFaults {
  /** One fault about so often: waits are drawn from an exponential distribution with this mean. */
  readonly every: Duration
  /** None begins before and after; a story settles only once faults have stopped. */
  readonly from?: Duration
  readonly until: Duration
  readonly faults: ReadonlyArray<Fault & { /** 1 where it is left out. */ readonly weight?: number }>
}
