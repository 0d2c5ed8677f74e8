import type { Plan } from "../summarizePlan.ts"

export const planAssumptions = ({ rollouts }: Pick<Plan, "rollouts">): ReadonlyArray<string> => [
  ...assumptionsOfEveryPlan,
  // Only a steered rollout has `failures`: what its chart does when Pods fail. Promotions by its user are not played.
  ...(rollouts.some(({ failures }) => failures.length > 0)
    ? ["a steered rollout is promoted at once where it waits for that"]
    : []),
  ...(rollouts.some(({ kind }) => kind === "Job")
    ? [
        "the containers of Jobs run for as long as others take to become ready, and succeed, unless --behaviour says more"
      ]
    : [])
]

const assumptionsOfEveryPlan: ReadonlyArray<string> = [
  "images exist and can be pulled",
  "the network lets through what is sent",
  "Pods start and become ready as --assume and --behaviour say"
]
