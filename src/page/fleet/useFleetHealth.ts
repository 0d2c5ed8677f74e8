import { fleetHealth } from "./fleetHealth.ts"
import { usePageState } from "../pageState.ts"
import { useThrottled } from "../useThrottled.ts"
import type { Fleet } from "../history/fleet.ts"
import type { FleetHealth } from "./fleetHealth.ts"

/** The more Pods a fleet has, the less often it is judged and drawn again, so that the page stays responsive. */
export const fleetDrawMillis = ({ pods }: Fleet): number =>
  pods.size > 2000 ? 500 : pods.size > 500 ? 250 : 0

/** Health depends on all Pods, so that each view takes a new fleet to judge at most this often. */
const healthMillisMin = 250

/** Views that have taken the same fleet share its health; each takes a new one at a time of its own. */
export const useFleetHealth = (): FleetHealth => {
  const { fleet } = usePageState()
  return fleetHealth(useThrottled(fleet, Math.max(healthMillisMin, fleetDrawMillis(fleet.get()))))
}
