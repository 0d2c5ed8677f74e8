import { fleetHealth } from "./fleetHealth.ts"
import { usePageState } from "../pageState.ts"
import { useThrottled } from "../useThrottled.ts"
import type { FleetHealth } from "./fleetHealth.ts"

/** Health is computed again at most so often. */
const healthMillis = 250

/** The same value for every view that asks at the same moment. */
export const useFleetHealth = (): FleetHealth => fleetHealth(useThrottled(usePageState().fleet, healthMillis))
