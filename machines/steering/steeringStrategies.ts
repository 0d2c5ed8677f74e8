import { automaticRollback } from "./automaticRollback.ts"
import { canary } from "./canary.ts"
import type { SteeringStrategy } from "./steeringStrategy.ts"

export const builtInSteering: ReadonlyArray<SteeringStrategy> = [automaticRollback, canary]
