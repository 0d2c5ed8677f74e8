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

/** The rate changes at once, or evenly during `over`. */
export interface LoadChange {
  readonly from: number
  readonly to: number
  /** When it changes, since the load was set; default 0s. */
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
