import { aDeployment } from "../../builders.ts"
import { exploreRollout } from "../../../src/plan/exhaustive/exploreRollout.ts"
import type { Deployment } from "../../../src/kubernetes/meta/objects.ts"
import type { Claim, ClaimSubject } from "../../../src/plan/exhaustive/claims.ts"
import type { Exploration, RolloutModel } from "../../../src/plan/exhaustive/exploreRollout.ts"

type Traits = NonNullable<Parameters<typeof aDeployment>[0]>

/** A Deployment as the server stores it, with the default deadline and history limit. */
export const storedDeployment = (traits: Traits = {}): Deployment =>
  aDeployment({ deadlineSeconds: 600, historyLimit: 10, ...traits })

/** Explores a rollout from v1 to v2 with at most one failure. */
export const exploredRollout = (traits: Traits, world: Partial<RolloutModel> = {}): Exploration =>
  exploreRollout({
    from: storedDeployment({ version: "v1", ...traits }),
    next: storedDeployment({ version: "v2", ...traits }),
    failuresMax: 1,
    ...world
  })

/** The verdict of each claim. */
export const verdicts = ({ claims }: Exploration): Readonly<Record<string, string>> =>
  Object.fromEntries(claims.map(({ about, verdict }) => [about, verdict]))

export const claimAbout = ({ claims }: Exploration, about: ClaimSubject): Claim => {
  const claim = claims.find((it) => it.about === about)
  if (claim === undefined) throw new Error(`nothing is claimed about the ${about}`)
  return claim
}
