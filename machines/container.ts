import { and } from "xstate"
import { updateFacts, updateReady, containerSetup, notifyPod } from "./containerSetup.ts"

/**
 * One container of a Pod, as its kubelet runs it. Failed pulls and crashes are retried with back-off; probes are
 * timers of a run.
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
  on: {
    stop: { target: ".stopped", actions: "noteNeverRun" },
    "life.changed": { actions: "noteLife" }
  },
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
      description: "It does not run yet, or not now.",
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
          entry: updateFacts("pullFailed", ({ plan }) => ({
            doing: "pullFailed",
            pullError: plan.life.pullError
          })),
          after: { pullErrorShown: "pullBackOff" }
        },
        pullBackOff: {
          description: "10 s, doubling to 300 s.",
          entry: updateFacts("pullBackOff", () => ({ doing: "pullBackOff" })),
          after: { pullBackOff: "pulling" }
        },
        creating: {
          entry: updateFacts("pulled", () => ({ doing: "creating", pullError: undefined })),
          after: { start: "#container.running" }
        },
        looking: {
          description: "The image is not pulled: it is on the node, or it is not available.",
          always: [{ guard: "isImageThere", target: "creating" }, { target: "imageRefused" }]
        },
        imageRefused: {
          description: "Its image has no valid name, or may not be pulled and is not there: nothing helps.",
          entry: updateFacts("imageRefused", () => ({ doing: "imageRefused" }))
        },
        crashBackOff: {
          description: "From the second crash on: 10 s, doubling to 300 s, forgiven after ten good minutes.",
          entry: updateFacts("crashBackOff", () => ({ doing: "crashBackOff" })),
          after: { crashBackOff: { target: "#container.running", actions: "countRun" } }
        }
      }
    },
    running: {
      description: "It runs: whether it serves and how this run ends are told apart.",
      type: "parallel",
      exit: "forgetElapsed",
      always: {
        description: "Something from outside has ended the run: out of memory, killed by hand.",
        guard: "hasCrashed",
        target: "terminated",
        actions: "noteCrash"
      },
      states: {
        readiness: {
          description: "Whether it serves, as its probes see it.",
          initial: "beginning",
          on: {
            "life.changed": {
              description: "What befalls it from outside is looked at as if it were seen for the first time.",
              target: ".beginning",
              actions: ["noteLife", "noteAge"]
            }
          },
          states: {
            beginning: {
              description: "Where was it, if it ran before?",
              always: [
                { guard: and(["wasRunning", "isSilent"]), target: "silent" },
                { guard: "wasReady", target: "ready" },
                { guard: and(["wasRunning", "hasStartupProbe"]), target: "startingUp" },
                { guard: "wasRunning", target: "notReady" },
                {
                  guard: "hasStartupProbe",
                  target: "startingUp",
                  actions: updateFacts("started", () => ({ doing: "running", started: false }))
                },
                {
                  target: "notReady",
                  actions: updateFacts("started", () => ({ doing: "running", started: true }))
                }
              ]
            },
            startingUp: {
              description: "The other probes wait for the startup probe.",
              after: {
                untilStarted: {
                  target: "notReady",
                  actions: ["forgetElapsed", ...updateFacts("startupPassed", () => ({ started: true }))]
                }
              }
            },
            notReady: {
              after: { untilReady: { target: "ready", actions: updateReady } }
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
              entry: updateFacts("unready", () => ({ ready: false })),
              after: { untilReadyAgain: { target: "ready", actions: updateReady } }
            },
            silent: {
              description:
                "It hangs and answers no probe. A container without a readiness probe stays ready.",
              initial: "unnoticed",
              states: {
                unnoticed: { always: { guard: and(["wasReady", "isReadinessProbed"]), target: "probed" } },
                probed: {
                  after: {
                    untilUnheard: {
                      target: "unnoticed",
                      actions: updateFacts("unready", () => ({ ready: false }))
                    }
                  }
                }
              }
            }
          }
        },
        health: {
          description: "How this run ends, if it does.",
          initial: "lasting",
          on: { stop: { target: ".stopping", actions: "noteRequest" } },
          states: {
            lasting: {
              on: { "life.changed": { target: "lasting", reenter: true, actions: ["noteLife", "noteAge"] } },
              always: { guard: "isDoomed", target: "doomed" }
            },
            doomed: {
              description: "This run will crash, finish or be killed by a probe.",
              on: { "life.changed": { target: "lasting", actions: ["noteLife", "noteAge"] } },
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
              entry: notifyPod("stopping"),
              after: { untilStopped: { target: "#container.stopped", actions: "noteStop" } }
            }
          }
        }
      }
    },
    terminated: {
      description: "Its run is over, and another may follow.",
      entry: updateFacts("exited", () => ({ doing: "terminated", ready: false, started: false })),
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
      entry: updateFacts("stopped", () => ({ doing: "terminated", ready: false, started: false }))
    }
  }
})
