import { and, assign, enqueueActions, sendParent, setup } from "xstate"
import { backOffMillis, crashBackOffMillis, crashesAfter } from "../src/domain/backOff.ts"
import { readyAfter, readyFor, runEnd, startedAfter, unreadyFor } from "../src/domain/containerRuns.ts"
import { neverRun } from "../src/domain/containers.ts"
import type { ContainerStop, RunEnd } from "../src/domain/containerRuns.ts"
import type { ContainerFacts, ContainerHappening, ContainerPlan } from "../src/domain/containers.ts"

/** What a container tells its Pod: what happened, and how it stands now. */
export interface ContainerChanged {
  readonly type: "container.changed"
  readonly happening: ContainerHappening
  readonly facts: ContainerFacts
}

export interface ContainerContext {
  readonly plan: ContainerPlan
  readonly facts: ContainerFacts
  /** Pulls that failed so far. */
  readonly pulls: number
  /** Times that readiness was lost. */
  readonly flaps: number
  /** How long the state that was resumed had lasted already; 0 after that. */
  readonly elapsedMillis: number
  /** Whether SIGTERM is not enough, once it was asked to stop. */
  readonly isKilled: boolean
}

/** Asks the container to stop; asked once more, it stops as it was asked last. */
type ContainerEvent = { readonly type: "stop" } & ContainerStop

/** Shows a failed pull before the back-off: the kubelet says ErrImagePull first. */
const pullErrorShownMillis = 1000

const left = (context: ContainerContext, millis: number): number =>
  Math.max(0, millis - context.elapsedMillis)
const endOf = ({ plan, facts }: ContainerContext): RunEnd | undefined => runEnd(plan, facts.restartCount)

/** Notes what the container does now and tells its Pod. */
const becomes = (
  happening: ContainerHappening,
  change: (context: ContainerContext) => Partial<ContainerFacts>
) =>
  [
    assign<ContainerContext, ContainerEvent, undefined, ContainerEvent, never>(({ context }) => ({
      facts: { ...context.facts, ...change(context) }
    })),
    tellPod(happening)
  ] as const

const tellPod = (happening: ContainerHappening) =>
  sendParent<ContainerContext, ContainerEvent, undefined, ContainerChanged, ContainerEvent>(
    ({ context }) => ({
      type: "container.changed",
      happening,
      facts: context.facts
    })
  )

/** One for init never is, until it is done. */
const becomesReady = becomes("ready", ({ plan }) => ({ ready: plan.role !== "init" }))

const containerSetup = setup({
  types: {} as {
    context: ContainerContext
    events: ContainerEvent
    input: { readonly plan: ContainerPlan; readonly facts: ContainerFacts; readonly elapsedMillis: number }
  },
  guards: {
    wasRunning: ({ context }) => context.facts.doing === "running",
    wasTerminated: ({ context }) => context.facts.doing === "terminated",
    wasCrashing: ({ context }) => context.facts.doing === "crashBackOff",
    wasPulling: ({ context }) =>
      context.facts.doing === "pullFailed" || context.facts.doing === "pullBackOff",
    isNotPulled: ({ context }) => context.plan.image !== "registry",
    isImageThere: ({ context }) => context.plan.image === "node",
    wasReady: ({ context }) => context.facts.ready,
    pullFails: ({ context }) => context.pulls < context.plan.life.pullFailures,
    hasStartupProbe: ({ context }) => context.plan.startup !== undefined && !context.facts.started,
    isDoomed: ({ context }) => endOf(context) !== undefined,
    losesReadiness: ({ context }) =>
      context.plan.life.flap !== undefined && context.flaps < context.plan.life.flap.times,
    mayRestart: ({ context }) =>
      context.plan.restartPolicy === "Always" ||
      (context.plan.restartPolicy === "OnFailure" && context.facts.lastExit?.code !== 0),
    isFirstCrash: ({ context }) => context.facts.crashes <= 1,
    isProbeVerdict: ({ context }) => endOf(context)?.because !== "exited"
  },
  actions: {
    forgetElapsed: assign({ elapsedMillis: 0 }),
    tellPulling: tellPod("pulling"),
    countPull: assign({ pulls: ({ context }) => context.pulls + 1 }),
    countFlap: assign({ flaps: ({ context }) => context.flaps + 1 }),
    countRun: assign({
      facts: ({ context }) => ({ ...context.facts, restartCount: context.facts.restartCount + 1 }),
      flaps: 0
    }),
    noteEnd: assign(({ context }) => {
      const end = endOf(context)
      if (end === undefined) return {}
      return {
        facts: {
          ...context.facts,
          crashes: crashesAfter(context.facts.crashes, end.afterMillis + end.stopMillis),
          lastExit: { code: end.code, reason: end.reason }
        }
      }
    }),
    tellVerdict: enqueueActions(({ context, enqueue }) => {
      const because = endOf(context)?.because
      if (because !== undefined) enqueue(tellPod(because))
    }),
    noteRequest: assign(({ event }) => ({ isKilled: event.isKilled })),
    noteStop: assign(({ context }) => ({
      facts: {
        ...context.facts,
        crashes: context.facts.crashes + 1,
        lastExit: context.isKilled ? { code: 137, reason: "Error" } : { code: 0, reason: "Completed" }
      }
    })),
    noteNeverRun: assign(({ context }) => ({
      facts: { ...context.facts, lastExit: context.facts.lastExit ?? neverRun }
    }))
  },
  delays: {
    pull: ({ context }) => left(context, context.plan.life.pullMillis),
    pullErrorShown: pullErrorShownMillis,
    pullBackOff: ({ context }) => left(context, backOffMillis(context.pulls) - pullErrorShownMillis),
    start: ({ context }) => left(context, context.plan.life.startMillis),
    // It counts from the end of the run, of which the first moments were shown already.
    crashBackOff: ({ context: { facts, plan, elapsedMillis } }) => {
      const wait = crashBackOffMillis(facts.crashes)
      return elapsedMillis === 0 ? wait : Math.max(0, wait + plan.life.startMillis - elapsedMillis)
    },
    untilStarted: ({ context }) => left(context, startedAfter(context.plan)),
    untilReady: ({ context }) =>
      left(
        context,
        readyAfter(context.plan) -
          (context.facts.started && context.elapsedMillis === 0 ? startedAfter(context.plan) : 0)
      ),
    untilUnready: ({ context }) => readyFor(context.plan),
    untilReadyAgain: ({ context }) => unreadyFor(context.plan),
    untilEnd: ({ context }) => left(context, endOf(context)?.afterMillis ?? 0),
    untilKilled: ({ context }) => endOf(context)?.stopMillis ?? 0,
    untilStopped: ({ event }) => (event.type === "stop" ? event.withinMillis : 0)
  }
})

/**
 * One container of a Pod, as its kubelet sees it. Pulls and crashes are tried again with back-off; the probes are the
 * timers of a run.
 *
 * Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go, pkg/kubelet/images/image_manager.go, pkg/kubelet/prober.
 */
export const containerMachine = containerSetup.createMachine({
  id: "container",
  context: ({ input }) => ({
    plan: input.plan,
    facts: input.facts,
    pulls: input.facts.doing === "pullFailed" || input.facts.doing === "pullBackOff" ? 1 : 0,
    flaps: 0,
    elapsedMillis: input.elapsedMillis,
    isKilled: false
  }),
  initial: "resuming",
  on: { stop: { target: ".stopped", actions: "noteNeverRun" } },
  states: {
    resuming: {
      description: "A new container begins; one that was there before goes on where it was.",
      always: [
        { guard: "wasRunning", target: "running" },
        { guard: "wasTerminated", target: "terminated" },
        { guard: "wasCrashing", target: "waiting.crashBackOff" },
        { guard: "wasPulling", target: "waiting.pullBackOff" },
        { guard: "isNotPulled", target: "waiting.looking" },
        { target: "waiting" }
      ]
    },
    waiting: {
      initial: "pulling",
      exit: "forgetElapsed",
      states: {
        pulling: {
          entry: "tellPulling",
          after: {
            pull: [{ guard: "pullFails", target: "pullFailed", actions: "countPull" }, { target: "creating" }]
          }
        },
        pullFailed: {
          entry: becomes("pullFailed", ({ plan }) => ({
            doing: "pullFailed",
            pullError: plan.life.pullError
          })),
          after: { pullErrorShown: "pullBackOff" }
        },
        pullBackOff: {
          description: "10 s, doubling to 300 s.",
          entry: becomes("pullBackOff", () => ({ doing: "pullBackOff" })),
          after: { pullBackOff: "pulling" }
        },
        creating: {
          entry: becomes("pulled", () => ({ doing: "creating", pullError: undefined })),
          after: { start: "#container.running" }
        },
        looking: {
          description: "Its image is not to be pulled: it is on its node, or cannot be had.",
          always: [{ guard: "isImageThere", target: "creating" }, { target: "imageRefused" }]
        },
        imageRefused: {
          description: "Its image has no valid name, or may not be pulled and is not there: nothing helps.",
          entry: becomes("imageRefused", () => ({ doing: "imageRefused" }))
        },
        crashBackOff: {
          description: "From the second crash on: 10 s, doubling to 300 s, forgiven after ten good minutes.",
          entry: becomes("crashBackOff", () => ({ doing: "crashBackOff" })),
          after: { crashBackOff: { target: "#container.running", actions: "countRun" } }
        }
      }
    },
    running: {
      type: "parallel",
      exit: "forgetElapsed",
      states: {
        readiness: {
          initial: "beginning",
          states: {
            beginning: {
              always: [
                { guard: "wasReady", target: "ready" },
                { guard: and(["wasRunning", "hasStartupProbe"]), target: "startingUp" },
                { guard: "wasRunning", target: "notReady" },
                {
                  guard: "hasStartupProbe",
                  target: "startingUp",
                  actions: becomes("started", () => ({ doing: "running", started: false }))
                },
                {
                  target: "notReady",
                  actions: becomes("started", () => ({ doing: "running", started: true }))
                }
              ]
            },
            startingUp: {
              description: "The other probes wait for the startup probe.",
              after: {
                untilStarted: {
                  target: "notReady",
                  actions: ["forgetElapsed", ...becomes("startupPassed", () => ({ started: true }))]
                }
              }
            },
            notReady: {
              after: { untilReady: { target: "ready", actions: becomesReady } }
            },
            ready: {
              initial: "lasting",
              states: {
                lasting: { always: { guard: "losesReadiness", target: "passing" } },
                passing: {
                  after: {
                    untilUnready: {
                      target: "#container.running.readiness.unready",
                      actions: "countFlap"
                    }
                  }
                }
              }
            },
            unready: {
              description: "The application has stopped answering its readiness probe.",
              entry: becomes("unready", () => ({ ready: false })),
              after: { untilReadyAgain: { target: "ready", actions: becomesReady } }
            }
          }
        },
        health: {
          initial: "lasting",
          on: { stop: { target: ".stopping", actions: "noteRequest" } },
          states: {
            lasting: { always: { guard: "isDoomed", target: "doomed" } },
            doomed: {
              description: "This run will crash, finish or be killed by a probe.",
              after: {
                untilEnd: [
                  { guard: "isProbeVerdict", target: "beingKilled", actions: "tellVerdict" },
                  { target: "#container.terminated", actions: "noteEnd" }
                ]
              }
            },
            beingKilled: {
              description: "A liveness or startup probe has failed for the last time: it is made to stop.",
              after: { untilKilled: { target: "#container.terminated", actions: "noteEnd" } }
            },
            stopping: {
              description:
                "Asked to stop: preStop hook, SIGTERM, and SIGKILL when the grace is over. Readiness goes on.",
              entry: tellPod("stopping"),
              after: { untilStopped: { target: "#container.stopped", actions: "noteStop" } }
            }
          }
        }
      }
    },
    terminated: {
      entry: becomes("exited", () => ({ doing: "terminated", ready: false, started: false })),
      exit: "forgetElapsed",
      after: {
        start: [
          { guard: and(["mayRestart", "isFirstCrash"]), target: "running", actions: "countRun" },
          { guard: "mayRestart", target: "waiting.crashBackOff" }
        ]
      }
    },
    stopped: {
      type: "final",
      description: "Its Pod is going, and it is not started again.",
      entry: becomes("stopped", () => ({ doing: "terminated", ready: false, started: false }))
    }
  }
})
