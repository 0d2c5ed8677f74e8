import type { ElectionClock, LeaseDurations } from "../client/leaderElection.ts"
import type { KubeContext } from "../client/kubeContext.ts"
import type { SteerLog } from "./steerLog.ts"
import type { SteeringStrategy } from "../../machines/steering/steeringStrategy.ts"

export interface SteerClock extends ElectionClock {
  /** How many times as fast as the machine's clock; 1 except in tests. */
  readonly speed: number
}

/** One of `count` parts of a cluster's namespaces, each with its own leader. */
export interface Shard {
  /** From 0. */
  readonly index: number
  readonly count: number
}

export interface SteerOptions {
  readonly context: KubeContext
  readonly clock: SteerClock
  readonly log: SteerLog
  /** Unique among the processes that compete for the Lease. */
  readonly identity: string
  /** All namespaces by default. */
  readonly namespaces?: ReadonlyArray<string> | undefined
  readonly shard?: Shard | undefined
  /** Only logs what steering would write, without a Lease. */
  readonly isShadow?: boolean | undefined
  readonly lease?: LeaseOptions | undefined
  readonly strategies?: ReadonlyArray<SteeringStrategy> | undefined
  /** The field managers that apply templates from Git. */
  readonly gitManagers?: ReadonlyArray<string> | undefined
}

export interface LeaseOptions {
  /** Default: the namespace of the context. */
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  readonly durations?: LeaseDurations | undefined
}

export const leaseNameDefault = "charthouse-steer"

export const leaseNameOf = ({ lease, shard }: Pick<SteerOptions, "lease" | "shard">): string => {
  const name = lease?.name ?? leaseNameDefault
  return shard === undefined ? name : `${name}-${shard.index}-of-${shard.count}`
}

const [fnvOffsetBasis, fnvPrime] = [0x81_1c_9d_c5, 0x01_00_01_93]

/** Hashes the namespace's name (FNV-1a): all processes get the same shard. */
export const isInShard = (namespace: string, { index, count }: Shard): boolean => {
  let hash = fnvOffsetBasis
  for (const byte of Buffer.from(namespace)) hash = Math.imul(hash ^ byte, fnvPrime)
  return (hash >>> 0) % count === index
}
