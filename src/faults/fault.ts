import type { Delay } from "../behaviours/behaviour.ts"
import type { ControllerName } from "../runtime/reconciler/controllerRanks.ts"

/** In Go's notation: `250ms`, `1m30s`. */
type Duration = string

/**
 * Something that goes wrong, as data: in a story's YAML, in TypeScript, in a report. After `for` its effects end.
 * Without `for` it lasts until the end, or happens once, as `kill` does.
 */
export type Fault = FaultOf[FaultName] & {
  readonly for?: Duration
}

/** A fault given in code: its durations may be numbers, in milliseconds. */
export type FaultGiven = WithMillis<Fault>

type WithMillis<F> = F extends Fault
  ? { readonly [K in keyof F]: K extends "for" | "by" | "ready" | "unready" ? F[K] | number : F[K] }
  : never

export type FaultName = keyof FaultOf

interface FaultOf {
  // Pods
  /**
   * Containers exit now with an exit code (1, or 137 for OOMKilled). With `for`, every run that starts meanwhile
   * exits too, before its first probe succeeds. Without `count` that includes new Pods.
   */
  readonly crash: {
    readonly fault: "crash"
    readonly pods: PodChoice
    readonly exitCode?: number
    readonly reason?: "Error" | "OOMKilled"
  }
  /** The kubelet gives the whole Pod up: it fails, with the reason `Evicted` by default. */
  readonly fail: { readonly fault: "fail"; readonly pods: PodChoice; readonly reason?: string }
  /** Deletes Pods through the API, as `kubectl delete pod` does. */
  readonly kill: { readonly fault: "kill"; readonly pods: PodChoice; readonly gracePeriodSeconds?: number }
  /**
   * Readiness comes and goes. Without `count` that includes new Pods. Without `for` the cluster never settles, unless
   * all drawn Pods are gone.
   */
  readonly flap: {
    readonly fault: "flap"
    readonly pods: PodChoice
    readonly ready: Duration
    readonly unready: Duration
  }
  /**
   * Containers answer neither probes nor requests: a readiness probe takes the Pod out of its Services, a liveness
   * probe restarts the container, which ends the hang. Without `for` it ends when all hanging runs have ended.
   */
  readonly hang: { readonly fault: "hang"; readonly pods: PodChoice }
  /** New Pods take longer to answer, in every run; with `count`, only the first so many new Pods. */
  readonly slowStart: { readonly fault: "slowStart"; readonly pods: PodChoice; readonly by: Delay }
  /** An image cannot be pulled (`*` matches any text), nor can pulls under way succeed. */
  readonly pullFails: { readonly fault: "pullFails"; readonly image: string; readonly error?: string }
  // Nodes
  /** The kubelet sends no heartbeats any more. */
  readonly nodeLost: { readonly fault: "nodeLost"; readonly node: string }
  /** Cordoned, and its Pods evicted; evictions that a budget forbids are retried every 5 s. Uncordoned at the end. */
  readonly nodeDrained: { readonly fault: "nodeDrained"; readonly node: string }
  readonly nodeCordoned: { readonly fault: "nodeCordoned"; readonly node: string }
  /** The node has no room for further Pods. */
  readonly nodeFull: { readonly fault: "nodeFull"; readonly node: string }
  // Quota
  /** A ResourceQuota appears. Without `hard` it allows no Pod more than exist. */
  readonly quotaExhausted: {
    readonly fault: "quotaExhausted"
    readonly namespace?: string
    readonly hard?: Readonly<Record<string, string>>
  }
  // Controllers
  /** The controller does nothing; after the fault it looks at every object. */
  readonly controllerStopped: { readonly fault: "controllerStopped"; readonly controller: ControllerName }
  /** The controller takes this long for each object. */
  readonly controllerSlow: {
    readonly fault: "controllerSlow"
    readonly controller: ControllerName
    readonly by: Duration
  }
  /**
   * The controller is killed after so many more of its writes (0: now), loses the rest of its commands, and starts
   * again.
   */
  readonly controllerRestarted: {
    readonly fault: "controllerRestarted"
    readonly controller: ControllerName
    readonly afterWrites?: number
  }
  // The API
  /**
   * Writes are refused with 409 Conflict, 429, 500, or 504 (carried out, but the answer is lost). Writes of clients
   * are matched by the request, as in `cluster.requests`: a PATCH of `/scale` is a `patch`, an eviction a `create`. A
   * 409 never matches a client's `create`, for which it would mean that the object exists.
   */
  readonly writesRefused: {
    readonly fault: "writesRefused"
    readonly of: Party
    readonly code: 409 | 429 | 500 | 504
    readonly resource?: string
    readonly verb?: WriteVerb
    /** How many refusals; a controller that gets 429 retries, and each retry counts. */
    readonly times?: number
  }
  readonly writesSlow: { readonly fault: "writesSlow"; readonly of: Party; readonly by: Duration }
  /** Watches deliver changes late, and reads from a cache are as old. */
  readonly watchLate: {
    readonly fault: "watchLate"
    readonly of: Party
    readonly by: Duration
    readonly reads?: ReadScope
  }
  /** Watches break. At the end the list is read again, which shows only the outcome of what happened. */
  readonly watchDropped: { readonly fault: "watchDropped"; readonly of: Party }
  /** Every change is delivered twice. */
  readonly watchRepeated: { readonly fault: "watchRepeated"; readonly of: Party }
  /** Reads and lists from a cache show the objects as they were when the fault began. */
  readonly staleReads: { readonly fault: "staleReads"; readonly of: Party; readonly reads?: ReadScope }
  // Time
  /** The machine slept: the clock jumps ahead, and every timer due by then is late. */
  readonly clockJump: { readonly fault: "clockJump"; readonly by: Duration }
}

/** `status` is a write of the sub-resource, by a controller; a client's is an `update` or a `patch`. */
export type WriteVerb = "create" | "update" | "patch" | "delete" | "status"

/**
 * Which reads of clients are stale: those that a cache may answer (`resourceVersion=0`; the default), or all, as
 * behind a load balancer with one stale server.
 */
export type ReadScope = "cached" | "all"

/** What a fault of the API affects: one controller, all of them, or every client from outside. */
export type Party = ControllerName | "controllers" | "clients"

/** Which Pods a fault affects: all that match, or `count` of them drawn from the seed. */
export interface PodChoice {
  readonly namespace?: string
  /**
   * Pods of this Deployment; its namespace is `default` unless given. Without a Deployment, Pods of every namespace
   * match.
   */
  readonly deployment?: string
  /** Only with a Deployment: Pods of its present template, or only the others. */
  readonly revision?: "new" | "old"
  readonly labels?: Readonly<Record<string, string>>
  /** A glob. */
  readonly name?: string
  readonly node?: string
  readonly count?: number
}

/** Faults that begin at random times: each time one of `faults` is drawn by its weight. */
export interface RandomFaults {
  /** The mean of the exponential distribution that waits are drawn from. */
  readonly every: Duration
  /** No fault begins before `from` or after `until`; a story settles only after its faults have ended. */
  readonly from?: Duration
  readonly until: Duration
  readonly faults: ReadonlyArray<Fault & { /** 1 where it is left out. */ readonly weight?: number }>
}
