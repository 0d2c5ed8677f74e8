import { strategyGuards } from "./guards/deploymentGuards.ts"
import { deploymentSetup, emitCommands } from "./deploymentSetup.ts"
import { createNew } from "../src/kubernetes/apps/deploymentCommands.ts"
import { rateLimitMillis } from "../src/kubernetes/apps/progress.ts"
import { composeState, strategyDelays } from "./strategies/composeState.ts"
import { builtInStrategies, strategyFor } from "./strategies/strategies.ts"
import type { DeploymentContext } from "./guards/deploymentGuards.ts"
import type { Strategy } from "./strategies/strategy.ts"

/**
 * A Deployment's rollout. Four parallel regions react to every observation: `rollout` emits writes, `progress` judges
 * the deadline, `check` schedules the progress check, and `availability` judges the available Pods. One write reports
 * the status from all regions.
 * Source: pkg/controller/deployment/deployment_controller.go, sync.go, rolling.go, recreate.go, progress.go.
 */
export const deploymentMachine = (strategies: ReadonlyArray<Strategy> = builtInStrategies) =>
  deploymentSetup
    .createMachine({
      id: "deployment",
      description:
        "Every change leads to a new look (event observed), and each look takes one step, until no step is left.",
      context: { seen: undefined, lastProgressMillis: undefined, nextCheckMillis: undefined },
      type: "parallel",
      states: {
        rollout: {
          description:
            "What the controller is doing. Each observation enters the first branch whose guard holds.",
          initial: "idle",
          on: {
            observed: { target: ".routing", actions: "remember" },
            refused: { guard: "isCreationRefused", actions: "recordCreationRefused" }
          },
          states: {
            idle: { description: "No work is left." },
            routing: {
              description: "Which branch comes first?",
              always: [
                { guard: "isClaiming", target: "claiming" },
                { guard: "isRenumbering", target: "renumbering" },
                { guard: "isTerminating", target: "terminating" },
                { guard: "isPaused", target: "paused" },
                { guard: "isRollingBack", target: "rollingBack" },
                { guard: "isScaling", target: "scaling" },
                ...strategyTransitions(strategies),
                { target: "idle" }
              ]
            },
            claiming: {
              description: "Adopts matching orphans and releases ReplicaSets that no longer match.",
              entry: "claimReplicaSets"
            },
            renumbering: {
              description:
                "Gives the ReplicaSet of this template the newest revision and the Deployment's annotations.",
              entry: "renumberNew"
            },
            terminating: {
              description: "The Deployment is being deleted: only its status is updated.",
              entry: "reportCounts"
            },
            paused: {
              description: "The rollout is paused. Scaling, clean-up and status updates continue.",
              entry: ["scaleProportionally", "cleanUp", "reportCounts"]
            },
            rollingBack: {
              description: "The annotation for a rollback to an earlier revision is set.",
              initial: "deciding",
              states: {
                deciding: {
                  description: "What is the next step?",
                  always: [
                    { guard: "isNameTaken", target: "avoidingCollision" },
                    { guard: "isNewMissing", target: "creatingNew" },
                    { target: "goingBack" }
                  ]
                },
                avoidingCollision: {
                  description:
                    "Another ReplicaSet has the name: increments collisionCount, which gives a new hash.",
                  entry: "reportCollision"
                },
                creatingNew: {
                  description: "The current revision gets its ReplicaSet and its number before the rollback.",
                  entry: "createNew"
                },
                goingBack: {
                  description: "Writes the template of the earlier revision and removes the annotation.",
                  entry: "rollBack"
                }
              }
            },
            scaling: {
              description:
                "spec.replicas changed: scales all ReplicaSets in proportion before the rollout continues.",
              entry: ["scaleProportionally", "reportCounts"]
            },
            ...Object.fromEntries(strategies.map((it) => [it.state, composeState(it)])),
            complete: {
              description:
                "All Pods are of this revision. Deletes old ReplicaSets beyond revisionHistoryLimit.",
              entry: ["cleanUp", "reportStatus"]
            }
          }
        },
        progress: {
          description:
            "Whether the rollout makes progress before its deadline, which is counted from the last progress.",
          initial: "unjudged",
          on: {
            observed: [
              { guard: "isTerminating", target: ".unjudged" },
              // Stays in its state until the ReplicaSets are claimed and numbered.
              { guard: "isClaimingOrRenumbering" },
              { guard: "isUntracked", target: ".untracked", actions: "forgetProgress" },
              { guard: "isPausing", target: ".suspended", actions: "reportPaused" },
              { guard: "isSuspended", target: ".suspended" },
              { guard: "isCreating", target: ".progressing", actions: ["noteCreation", "reportCreated"] },
              { guard: "isNewlyComplete", target: ".complete", actions: "reportComplete" },
              {
                guard: "hasProgressed",
                target: ".progressing",
                actions: ["noteProgress", "reportProgressed"]
              },
              { guard: "isResuming", target: ".progressing", actions: ["noteProgress", "reportResumed"] },
              { guard: "isNewlyFound", target: ".progressing", actions: ["noteProgress", "reportFound"] },
              {
                guard: "isOverdue",
                target: ".stalled",
                actions: ["recallProgress", "reportOverdue"]
              },
              { guard: "wasOverdue", target: ".stalled", actions: "recallProgress" },
              { guard: "isAwaitingCheck", target: ".awaitingCheck", actions: "recallProgress" },
              { guard: "wasComplete", target: ".complete", actions: "recallProgress" },
              { guard: "wasRefused", target: ".refused" },
              { guard: "isUnjudged", target: ".unjudged" },
              { target: ".progressing", actions: "recallProgress" }
            ],
            refused: {
              guard: "isCreationRefused",
              target: ".refused",
              actions: ["recallProgress", "reportCreationRefused"]
            }
          },
          states: {
            unjudged: { description: "Not known yet." },
            progressing: {
              description: "The rollout makes progress within its deadline.",
              tags: "moving"
            },
            stalled: { description: "The deadline is exceeded. The rollout continues, and may recover." },
            refused: {
              description:
                "The API server refuses the new ReplicaSet. The deadline does not run until it exists."
            },
            suspended: { description: "The rollout is paused: the deadline does not run." },
            complete: {
              description:
                "The rollout is complete, and stays so until another revision begins, even if Pods fail."
            },
            awaitingCheck: {
              description:
                "Complete, but terminating Pods are not counted in status: only the progress check notices their end.",
              tags: "moving"
            },
            untracked: { description: "No deadline is set." }
          }
        },
        check: {
          description: "When to reconcile without a change. One check is scheduled at a time, the earliest.",
          initial: "none",
          on: { refused: { guard: "isCreationRefused", target: ".none" } },
          states: {
            none: {
              description: "No check is scheduled.",
              on: { observed: "weighing" }
            },
            weighing: {
              description: "Is a check needed?",
              always: [{ guard: "needsCheck", target: "ahead" }, { target: "none" }]
            },
            ahead: {
              description:
                "Reconciles one second after the deadline, counted from the last progress of any revision.",
              entry: "noteCheck",
              on: { observed: { guard: "needsSoonerCheck", target: "weighing" } },
              after: { progressCheck: { target: "none", actions: "lookAgain" } }
            }
          }
        },
        availability: {
          description: "Whether at least the minimum number of Pods is available.",
          initial: "unjudged",
          on: {
            observed: [
              { guard: "isAvailable", target: ".available", actions: "reportAvailable" },
              { target: ".unavailable", actions: "reportUnavailable" }
            ]
          },
          states: {
            unjudged: { description: "Not known yet." },
            available: { description: "Enough Pods are available." },
            unavailable: { description: "Too few Pods are available." }
          }
        }
      }
    })
    .provide(strategyImplementations(strategies))

/** As `never`, since XState's types know no names of states and guards that are made at run time. */
const strategyTransitions = (strategies: ReadonlyArray<Strategy>): ReadonlyArray<never> =>
  strategies.map((it) => ({ guard: it.state, target: it.state }) as never)

/** Guards, actions and delays of all strategies, named `STATE.NAME` and `STATE/DELAY` as in `composeState`. */
const strategyImplementations = (strategies: ReadonlyArray<Strategy>) => ({
  guards: strategyGuards(strategies),
  actions: Object.fromEntries([
    [
      "createNew",
      emitCommands((observation) =>
        (strategyFor(observation.deployment, strategies)?.create ?? createNew)(observation)
      )
    ],
    ...strategies.flatMap((it) =>
      Object.entries(it.commands).map(([name, commands]) => [`${it.state}.${name}`, emitCommands(commands)])
    )
  ]),
  delays: Object.fromEntries(
    strategies.flatMap((strategy) =>
      Object.entries(strategyDelays(strategy)).map(([name, millisAt]) => [
        name,
        // Only an observation leads to a strategy's state, so `seen` is never undefined here.
        ({ context }: { readonly context: DeploymentContext }) =>
          context.seen === undefined ? rateLimitMillis : millisAt(context.seen)
      ])
    )
  )
})
