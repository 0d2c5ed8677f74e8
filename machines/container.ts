import { and } from "xstate"
import {
  updateCreating,
  updateFacts,
  updateReady,
  updateStopped,
  containerSetup,
  notifyPod
} from "./containerSetup.ts"

/**
 * One container of a Pod, as its kubelet runs it. Failed pulls and crashes are retried with back-off; probes are
 * timers of a run. `plan.life` says how long pulls and starts take and when the container fails.
 * Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go, pkg/kubelet/images/image_manager.go, pkg/kubelet/prober.
 */
export const containerMachine = containerSetup.createMachine({
  id: "container",
  context: ({ input }) => ({
    plan: input.plan,
    facts: input.facts,
    // The Pod's status has no count of failed pulls: a restored container continues with the first back-off.
    failedPulls: input.facts.doing === "pullFailed" || input.facts.doing === "pullBackOff" ? 1 : 0,
    flaps: 0,
    elapsedMillis: input.elapsedMillis
  }),
  initial: "resuming",
  on: {
    // A running container takes time to stop: `running.health` handles that.
    stop: ".stopped",
    "life.changed": { actions: "noteLife" }
  },
  states: {
    resuming: {
      description: "A new container begins. After a restore, a container continues in its former state.",
      always: [
        { guard: "wasRunning", target: "running" },
        { guard: "wasTerminated", target: "terminated" },
        { guard: "wasRemoved", target: "waiting.creating" },
        { guard: "wasCrashing", target: "waiting.crashBackOff" },
        { guard: "hadFailedPull", target: "waiting.pullBackOff" },
        { guard: "isNotPulled", target: "waiting.checkingImage" },
        { target: "waiting" }
      ]
    },
    waiting: {
      description: "The container is not running.",
      initial: "pulling",
      exit: "forgetElapsed",
      states: {
        pulling: {
          entry: "tellPulling",
          after: {
            pull: [
              { guard: "pullFails", target: "pullFailed", actions: "countFailedPull" },
              { target: "creating", actions: updateCreating("pulled") }
            ]
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
          after: { start: "#container.running" }
        },
        checkingImage: {
          description: "No pull: the image is on the node, or not available.",
          always: [
            { guard: "isImageOnNode", target: "creating", actions: updateCreating("imageFound") },
            { target: "imageRefused" }
          ]
        },
        imageRefused: {
          description: "The image name is invalid, or the image is absent and imagePullPolicy is Never.",
          entry: updateFacts("imageRefused", () => ({ doing: "imageRefused" }))
        },
        crashBackOff: {
          description: "From the second crash on: 10 s, doubling to 300 s, reset after a run of ten minutes.",
          entry: updateFacts("crashBackOff", () => ({ doing: "crashBackOff" })),
          after: { crashBackOff: { target: "#container.running", actions: "countRun" } }
        }
      }
    },
    running: {
      description: "The container is running. Readiness and the end of the run are separate regions.",
      type: "parallel",
      exit: "forgetElapsed",
      always: {
        description: "A fault ended the run, such as OOMKilled.",
        guard: "hasCrashed",
        target: "terminated",
        actions: "noteCrash"
      },
      states: {
        readiness: {
          description: "Whether the container is ready, by its probes.",
          initial: "beginning",
          on: {
            "life.changed": {
              description: "A fault changed the container: chooses the state again.",
              target: ".beginning",
              actions: ["noteLife", "countTimersFromStart"]
            }
          },
          states: {
            beginning: {
              description: "Which state did the container have before a restore?",
              always: [
                { guard: and(["wasRunning", "isHanging"]), target: "hanging" },
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
              description: "The startup probe has not succeeded yet. Other probes wait for it.",
              after: {
                untilStarted: {
                  guard: "isStartupProbed",
                  target: "notReady",
                  actions: ["forgetElapsed", ...updateFacts("startupPassed", () => ({ started: true }))]
                }
              }
            },
            notReady: {
              after: { untilReady: { target: "ready", actions: updateReady } }
            },
            ready: {
              initial: "steady",
              states: {
                steady: { always: { guard: "losesReadiness", target: "flapping" } },
                flapping: {
                  description: "Its behaviour takes the readiness away after a while.",
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
              description: "The application fails its readiness probe.",
              entry: updateFacts("unready", () => ({ ready: false })),
              after: { untilReadyAgain: { target: "ready", actions: updateReady } }
            },
            hanging: {
              description: "The application hangs. A container without a readiness probe stays ready.",
              initial: "steady",
              states: {
                steady: {
                  always: { guard: and(["wasReady", "isReadinessProbed"]), target: "probesFailing" }
                },
                probesFailing: {
                  description: "Ready until failureThreshold probes have failed.",
                  after: {
                    untilProbesFail: {
                      target: "steady",
                      actions: updateFacts("unready", () => ({ ready: false }))
                    }
                  }
                }
              }
            }
          }
        },
        health: {
          description: "How this run ends, if it ends.",
          initial: "healthy",
          on: { stop: { target: ".stopping", actions: "noteStopRequest" } },
          states: {
            healthy: {
              on: {
                "life.changed": {
                  target: "healthy",
                  reenter: true,
                  actions: ["noteLife", "countTimersFromStart"]
                }
              },
              always: { guard: "willEnd", target: "endingLater" }
            },
            endingLater: {
              description: "This run will crash, exit or be killed after a failed probe.",
              on: { "life.changed": { target: "healthy", actions: ["noteLife", "countTimersFromStart"] } },
              after: {
                untilEnd: [
                  { guard: "endsByProbe", target: "beingKilled", actions: "recordProbeEnd" },
                  { target: "#container.terminated", actions: "noteEnd" }
                ]
              }
            },
            beingKilled: {
              description:
                "A liveness or startup probe reached failureThreshold: the container is being killed.",
              after: { untilKilled: { target: "#container.terminated", actions: "noteEnd" } }
            },
            stopping: {
              description:
                "The container is stopping: preStop hook, SIGTERM, then SIGKILL after the grace period. Probes continue.",
              entry: notifyPod("stopping"),
              after: { untilStopped: { target: "#container.stopped", actions: "noteStop" } }
            }
          }
        }
      }
    },
    terminated: {
      description: "The run is over. Another may follow.",
      entry: updateFacts("exited", () => ({ doing: "terminated", ready: false, started: false })),
      exit: "forgetElapsed",
      // A restart takes as long as a start: its time passes here, before the run or the back-off.
      after: {
        start: [
          { guard: and(["mayRestart", "isFirstCrash"]), target: "running", actions: "countRun" },
          { guard: "mayRestart", target: "waiting.crashBackOff" }
        ]
      }
    },
    stopped: {
      type: "final",
      description: "The container was stopped with its Pod and is not restarted.",
      entry: updateStopped
    }
  }
})
