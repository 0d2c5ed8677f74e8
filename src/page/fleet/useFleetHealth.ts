import { fleetHealth } from "./fleetHealth.ts"
import { usePageState } from "../pageState.ts"
import { useThrottled } from "../useThrottled.ts"
import type { Fleet } from "../history/fleet.ts"
import type { FleetHealth } from "./fleetHealth.ts"

/** The more Pods a fleet has, the less often it is judged and drawn again, so that the page stays responsive. */
export const fleetDrawMillis = ({ pods }: Fleet): number =>
  pods.size > 2000 ? 500 : pods.size > 500 ? 250 : 0

/** Health depends on all Pods, so that it is computed at most this often. */
const healthMillisMin = 250

/** The same value for every view that asks at the same moment. */
export const useFleetHealth = (): FleetHealth => {
  const { fleet } = usePageState()
  return fleetHealth(useThrottled(fleet, Math.max(healthMillisMin, fleetDrawMillis(fleet.get()))))
}
