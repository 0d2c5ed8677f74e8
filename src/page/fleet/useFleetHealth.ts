import { fleetHealth } from "./fleetHealth.ts"
import { usePageState } from "../pageState.ts"
import { useThrottled } from "../useThrottled.ts"
import type { Fleet } from "../history/fleet.ts"
import type { FleetHealth } from "./fleetHealth.ts"

/** Large fleets are drawn less often, so that the page stays responsive. */
export const fleetDrawMillis = ({ pods }: Fleet): number =>
  pods.size > 2000 ? 500 : pods.size > 500 ? 250 : 0

/** Health depends on all Pods, so each view computes it at most this often. */
const healthMillisMin = 250

export const useFleetHealth = (): FleetHealth => {
  const { fleet } = usePageState()
  return fleetHealth(useThrottled(fleet, Math.max(healthMillisMin, fleetDrawMillis(fleet.get()))))
}
