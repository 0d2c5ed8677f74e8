import { strategyGuards } from "./deploymentGuards.ts"
import { deploymentSetup, emitCommands } from "./deploymentSetup.ts"
import { createNext } from "../src/kubernetes/apps/deploymentCommands.ts"
import { builtInStrategies, strategyFor } from "./strategies/strategies.ts"
import type { Strategy } from "./strategies/strategy.ts"

/**
 * A Deployment's rollout. Four parallel regions react to every observation: `rollout` acts, `progress` judges the
 * deadline, `check` schedules the progress check, and `availability` judges the available Pods. The status that they
 * report is written at once.
 * Source: pkg/controller/deployment/deployment_controller.go, sync.go, rolling.go, recreate.go, progress.go.
 */
export const deploymentMachine = (strategies: ReadonlyArray<Strategy> = builtInStrategies) =>
  deploymentSetup
    .createMachine({
      id: "deployment",
      description:
        "Every change makes it look again (observed): one step a look, until nothing is left to do.",
      context: { seen: undefined, notedMillis: undefined, checkMillis: undefined },
      type: "parallel",
      states: {
        rollout: {
          description:
            "What the controller is doing. Every observation is routed anew: the first branch that holds.",
          initial: "idle",
          on: {
            observed: { target: ".routing", actions: "remember" },
            refused: { guard: "isCreationRefused", actions: "recordCreationRefused" }
          },
          states: {
            idle: { description: "Nothing is to be done." },
            routing: {
              description: "What has to be dealt with first?",
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
              description: "Orphans that match are adopted, ReplicaSets that no longer match let go.",
              entry: "claimReplicaSets"
            },
            renumbering: {
              description:
                "The ReplicaSet of this template gets the newest revision and the Deployment's annotations.",
              entry: "renumberNext"
            },
            terminating: {
              description: "Being deleted: only its status is reported.",
              entry: "reportCounts"
            },
            paused: {
              description: "No new revision; size, clean-up and status go on.",
              entry: ["shareSize", "cleanUp", "reportCounts"]
            },
            rollingBack: {
              description: "An earlier revision was asked for by annotation.",
              initial: "deciding",
              states: {
                deciding: {
                  description: "What is the next step?",
                  always: [
                    { guard: "isNameTaken", target: "avoidingCollision" },
                    { guard: "isNextMissing", target: "creatingNext" },
                    { target: "goingBack" }
                  ]
                },
                avoidingCollision: {
                  description:
                    "Another ReplicaSet has the name: count the collision and look again under a new hash.",
                  entry: "reportCollision"
                },
                creatingNext: {
                  description:
                    "The revision to go back from counts too: it gets its ReplicaSet and its number.",
                  entry: "createNext"
                },
                goingBack: {
                  description: "The template of the earlier revision, without the request.",
                  entry: "rollBack"
                }
              }
            },
            scaling: {
              description: "The size changed: shared out in proportion, before any new revision.",
              entry: ["shareSize", "reportCounts"]
            },
            ...Object.fromEntries(strategies.map((it) => [it.state, composeState(it)])),
            complete: {
              description: "All Pods are of this revision: old ReplicaSets beyond the limit go.",
              entry: ["cleanUp", "reportStatus"]
            }
          }
        },
        progress: {
          description:
            "Whether the rollout gets anywhere before its deadline, which counts from the last real progress.",
          initial: "unjudged",
          on: {
            observed: [
              { guard: "isTerminating", target: ".unjudged" },
              { guard: "isSetAside" },
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
            unjudged: { description: "Nothing can be said yet." },
            progressing: {
              description: "It gets somewhere, and the deadline is not over.",
              tags: "moving"
            },
            stalled: { description: "The deadline has passed. The rollout goes on, and may recover." },
            refused: {
              description: "The server refuses the new ReplicaSet: no deadline runs before there is one."
            },
            suspended: { description: "Paused: no deadline runs." },
            complete: {
              description: "Stays so until another revision begins, whatever happens to the Pods."
            },
            awaitingCheck: {
              description:
                "An earlier revision was complete. Its last Pods terminate uncounted: only the progress check sees it.",
              tags: "moving"
            },
            untracked: { description: "No deadline is set." }
          }
        },
        check: {
          description:
            "When the rollout is looked at again though nothing changes. One check is ahead at a time, the earliest.",
          initial: "none",
          on: { refused: { guard: "isCreationRefused", target: ".none" } },
          states: {
            none: {
              description: "No check is ahead.",
              on: { observed: "weighing" }
            },
            weighing: {
              description: "Is there anything to check?",
              always: [{ guard: "needsCheck", target: "ahead" }, { target: "none" }]
            },
            ahead: {
              description:
                "A second after the last progress is as old as the deadline, whatever revision it was of; again and again if that is near.",
              entry: "noteCheck",
              on: { observed: { guard: "needsSoonerCheck", target: "weighing" } },
              after: { progressCheck: { target: "none", actions: "lookAgain" } }
            }
          }
        },
        availability: {
          description: "Whether no more Pods are missing than the strategy allows.",
          initial: "unjudged",
          on: {
            observed: [
              { guard: "isAvailable", target: ".available", actions: "reportAvailable" },
              { target: ".unavailable", actions: "reportUnavailable" }
            ]
          },
          states: {
            unjudged: { description: "Nothing can be said yet." },
            available: { description: "Enough Pods serve." },
            unavailable: { description: "Too few Pods serve." }
          }
        }
      }
    })
    .provide(strategyImplementations(strategies))

/** Transitions from routing to the strategies. Their names are unknown to the chart's types. */
const strategyTransitions = (strategies: ReadonlyArray<Strategy>): ReadonlyArray<never> =>
  strategies.map((it) => ({ guard: it.state, target: it.state }) as never)

/** The guards and actions of all strategies under their qualified names. */
const strategyImplementations = (strategies: ReadonlyArray<Strategy>) => ({
  guards: strategyGuards(strategies),
  actions: Object.fromEntries([
    [
      "createNext",
      emitCommands((observation) =>
        (strategyFor(observation.deployment, strategies)?.create ?? createNext)(observation)
      )
    ],
    ...strategies.flatMap((it) =>
      Object.entries(it.commands).map(([name, commands]) => [`${it.state}.${name}`, emitCommands(commands)])
    )
  ])
})

/** A strategy's chart as a state of the rollout, with qualified guards and actions. */
const composeState = (strategy: Strategy): object => ({
  ...(strategy.chart.description === undefined ? {} : { description: strategy.chart.description }),
  initial: strategy.chart.initial,
  onDone: "complete",
  states: Object.fromEntries(
    Object.entries(strategy.chart.states).map(([name, { always, entry, ...state }]) => [
      name,
      {
        ...state,
        ...(entry === undefined
          ? {}
          : { entry: entry.map((it) => (it === "reportStatus" ? it : `${strategy.state}.${it}`)) }),
        ...(always === undefined
          ? {}
          : {
              always: always.map(({ guard, target }) =>
                guard === undefined ? { target } : { guard: `${strategy.state}.${guard}`, target }
              )
            })
      }
    ])
  )
})
