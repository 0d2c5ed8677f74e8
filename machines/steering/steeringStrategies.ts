import { automaticRollback } from "./automaticRollback.ts"
import type { SteeringStrategy } from "./steeringStrategy.ts"

export const builtInSteering: ReadonlyArray<SteeringStrategy> = [automaticRollback]
