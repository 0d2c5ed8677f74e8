import type { Deployment } from "../../domain/objects.ts"
import type { RolloutPlan } from "./plan.ts"
import type { Times } from "./longestTimes.ts"
import type { Traffic } from "../ledger/serviceTraffic.ts"

export type Seen = Omit<RolloutPlan, "advice">

/** What was seen beside the plan. */
export interface Beside {
  /** With any seed. */
  readonly longest: Times
  readonly traffic: Traffic
  /** The names of the containers that requests go to; empty where nobody sends any. */
  readonly servers: ReadonlySet<string>
  /** Those among them that get none from some Service before their Pod is ready. */
  readonly awaited: ReadonlySet<string>
}

/** What to change where a field of the manifest is the cause of what was seen; undefined where it is not. */
export type Adviser = (deployment: Deployment, seen: Seen, beside: Beside) => string | undefined
