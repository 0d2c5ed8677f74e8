import { automaticRollback } from "./automaticRollback.ts"
import { blueGreen } from "./blueGreen.ts"
import { canary } from "./canary.ts"
import type { SteeringStrategy } from "./steeringStrategy.ts"

export const builtInSteering: ReadonlyArray<SteeringStrategy> = [automaticRollback, canary, blueGreen]
