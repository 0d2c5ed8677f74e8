import { aTime, anObject } from "./storedObjects.ts"
import type { NormalizedEvent } from "../../src/kubernetes/meta/normalizeEvent.ts"

interface EventOptions {
  readonly involvedObject?: NormalizedEvent["involvedObject"]
  readonly reason?: string
  readonly message?: string
  /** Seconds after the start. */
  readonly first?: number
  /** Seconds after the start; `first` by default. */
  readonly last?: number
  readonly count?: number
}

/** A warning of the kubelet about the Pod `web-1`. */
export const anEvent = ({ first = 0, last = first, ...options }: EventOptions = {}): NormalizedEvent =>
  anObject(
    "Event",
    { name: options.reason ?? "event" },
    {
      involvedObject: options.involvedObject ?? { kind: "Pod", name: "web-1" },
      reason: options.reason ?? "Unhealthy",
      message: options.message ?? "Readiness probe failed: no answer",
      type: "Warning",
      source: { component: "kubelet" },
      firstTimestamp: aTime(first),
      lastTimestamp: aTime(last),
      count: options.count ?? 1,
      reportingComponent: "kubelet",
      reportingInstance: "n1"
    }
  )
