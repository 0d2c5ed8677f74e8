/** Ready Pods of a behaviour share the requests, separately in each namespace. */
export interface Load {
  /** Requests a second, of all Pods together. */
  readonly perSecond: LoadRate
  /** CPU time of one request: `4m` is 4 milliseconds of a core; default 0. */
  readonly cpuPerRequest?: string
  /** Requests a second that one Pod answers; by default as many as its CPU limit allows. */
  readonly capacityPerSecond?: number
}

export type LoadRate = number | LoadChange | DailyLoad

/** A step, or a ramp with `over`. */
export interface LoadChange {
  readonly from: number
  readonly to: number
  /** A duration since the load began; default 0s. */
  readonly at?: string
  /** A duration; default 0s: at once. */
  readonly over?: string
}

export interface DailyLoad {
  readonly low: number
  readonly high: number
  /** When the rate is highest, UTC; default 14:00. */
  readonly peak?: string
}

export interface ContainerUsage {
  /** Default 1m. */
  readonly cpu?: string
  /** Default 16Mi. */
  readonly memory?: string
}
