/**
 * Requests from outside, which the ready Pods of a behaviour share, separately in each namespace. A container's usage
 * follows from its share.
 */
export interface Load {
  /** Requests a second, of all Pods together. */
  readonly perSecond: LoadRate
  /** CPU time of one request: `4m` is 4 milliseconds of a core. Default 0. */
  readonly cpuPerRequest?: string
  /**
   * Requests a second that one Pod answers; what is beyond that is lost. By default as many as its CPU limit allows;
   * unlimited without both.
   */
  readonly capacityPerSecond?: number
}

/** A number, one that changes once, or one that follows the day. */
export type LoadRate = number | LoadChange | DailyLoad

/** A step, or a ramp with `over`. */
export interface LoadChange {
  readonly from: number
  readonly to: number
  /** A duration since the load began, `10m`; default 0s. */
  readonly at?: string
  /** A duration; default 0s: at once. */
  readonly over?: string
}

export interface DailyLoad {
  readonly low: number
  readonly high: number
  /** When it is highest, UTC; default 14:00. It is lowest twelve hours later. */
  readonly peak?: string
}

/** What a container uses beside its share of a load. */
export interface ContainerUsage {
  /** Default 1m. */
  readonly cpu?: string
  /** Default 16Mi. */
  readonly memory?: string
}
