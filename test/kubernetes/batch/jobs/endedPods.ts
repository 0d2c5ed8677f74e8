import { aContainerStatus, aTerminatedState } from "../../../builders.ts"
import type { Pod } from "../../../../src/kubernetes/meta/objects.ts"

/** The status of a Pod whose only container ended so many seconds after the start. */
export const endedAt = (second: number, exitCode = 1): Partial<Pod["status"]> => ({
  containerStatuses: [aContainerStatus({ state: aTerminatedState(exitCode, { to: second }) })]
})
