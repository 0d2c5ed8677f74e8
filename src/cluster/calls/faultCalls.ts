import * as Effect from "effect/Effect"
import type { ClusterService } from "../clusterService.ts"
import type { Faults } from "../../faults/activeFaults.ts"

export const faultCalls = ({ begin, active }: Faults): Pick<ClusterService, "fault" | "faults"> => ({
  fault: (fault) =>
    Effect.map(begin(fault), ({ id, end, met, endedMillis }) => ({
      id,
      end,
      ended: () => {
        const millis = endedMillis()
        return millis === undefined ? undefined : new Date(millis)
      },
      get met() {
        return met()
      }
    })),
  faults: () => active().map((fault) => ({ ...fault, met: fault.met() }))
})
