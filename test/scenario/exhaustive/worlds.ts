import { aDeployment } from "../../builders.ts"
import { exploreRollout } from "../../../src/plan/exhaustive/exploreRollout.ts"
import type { Deployment } from "../../../src/kubernetes/meta/objects.ts"
import type { Claim, ClaimSubject } from "../../../src/plan/exhaustive/claims.ts"
import type { Exploration, RolloutModel } from "../../../src/plan/exhaustive/exploreRollout.ts"

type Traits = NonNullable<Parameters<typeof aDeployment>[0]>

/** A Deployment as the server stores it, with the deadline and the history that are usual. */
export const stored = (traits: Traits = {}): Deployment =>
  aDeployment({ deadlineSeconds: 600, historyLimit: 10, ...traits })

/** The rollout of another version of the same Deployment, at most one failure on its way. */
export const rolled = (traits: Traits, world: Partial<RolloutModel> = {}): Exploration =>
  exploreRollout({
    from: stored({ version: "v1", ...traits }),
    next: stored({ version: "v2", ...traits }),
    failures: 1,
    ...world
  })

/** What became of each claim, in a word. */
export const verdicts = ({ claims }: Exploration): Readonly<Record<string, string>> =>
  Object.fromEntries(claims.map(({ about, verdict }) => [about, verdict]))

export const claimAbout = ({ claims }: Exploration, about: ClaimSubject): Claim => {
  const claim = claims.find((it) => it.about === about)
  if (claim === undefined) throw new Error(`nothing is claimed about the ${about}`)
  return claim
}
