import { and, not } from "xstate"
import { noStopTimes, podSetup } from "./podSetup.ts"

/**
 * A Pod as its kubelet runs it, with the life drawn from its behaviour. Child actors run its containers; their events
 * decide the Pod's state. Unlike Kubernetes, a container's status, restart or repeated pull does not wait for the
 * starts of other containers, nor does an ephemeral container. Source: pkg/kubelet/kubelet.go (SyncPod,
 * SyncTerminatingPod), pkg/kubelet/kubelet_pods.go, kuberuntime_manager.go (SyncPod).
 */
export const podMachine = podSetup.createMachine({
  id: "pod",
  context: { seen: undefined, containers: [], actors: [], stopsAt: noStopTimes },
  initial: "unseen",
  states: {
    unseen: { on: { observed: { target: "placing", actions: "remember" } } },
    placing: {
      description: "Which phase of its life is the Pod in, by its stored object?",
      always: [
        { guard: "isByHand", target: "byHand" },
        { guard: "isLeftBehind", target: "leftBehind" },
        { guard: "isFailed", target: "failed" },
        { guard: "isSucceeded", target: "succeeded" },
        { guard: "isLost", target: "outOfReach" },
        { guard: "awaitsVolumes", target: "unmounted" },
        { guard: "isBound", target: "onNode", actions: "setDeadline" },
        { target: "pending" }
      ]
    },
    byHand: {
      description: "By its behaviour (`mover: you`) no kubelet runs this Pod: API clients write its status."
    },
    pending: {
      description: "The Pod has no node yet.",
      initial: "unscheduled",
      on: { observed: { actions: "remember" } },
      always: [
        { guard: "isBound", target: "placing" },
        { guard: "isFailed", target: "failed" },
        { guard: "isSucceeded", target: "succeeded" }
      ],
      states: {
        unscheduled: {
          tags: "moving",
          after: { schedule: { target: "scheduled", actions: "requestBinding" } }
        },
        scheduled: { description: "The scheduler is looking for a node." }
      }
    },
    unmounted: {
      description:
        "The Pod is bound, and waits until its claims are bound and its volumes attached to the node.",
      entry: "reportUnmounted",
      on: { observed: { target: "placing", actions: "remember" } }
    },
    onNode: {
      description: "The Pod is bound to a node, and its kubelet runs it.",
      entry: ["startContainers", "report"],
      on: {
        observed: [
          { guard: "isNowTerminating", target: ".watching", actions: "remember" },
          // The server may have refused the last report, and a fault may have changed the life of the containers.
          { target: ".watching", actions: ["passLifeOn", "remember", "setDeadline", "report"] }
        ],
        "container.changed": [
          { guard: "isUnchanged", actions: "recordEvents" },
          { target: ".watching", actions: ["noteContainer", "recordEvents", "report"] }
        ],
        "deadline.passed": "ending.overdue"
      },
      initial: "watching",
      states: {
        watching: {
          description: "Which state are its containers in?",
          always: [
            { guard: "isLost", target: "#pod.outOfReach" },
            { guard: "isTerminating", target: "#pod.terminating" },
            { guard: "isEvicted", target: "#pod.ending.evicted" },
            { guard: "areAllToRestart", target: "restartingAll" },
            { guard: "mayStartNext", target: "startingNext" },
            { guard: "isInitializing", target: "initializing" },
            { guard: "areDone", target: "#pod.ending.finishing" },
            { guard: "areProbesYetToFail", target: "hanging" },
            { guard: "areReady", target: "running.ready" },
            { guard: and(["haveRun", "areUnreadyHanging"]), target: "hanging.probesFailed" },
            { guard: "haveRun", target: "running" },
            { guard: "isBackingOff", target: "backingOff" },
            { target: "starting" }
          ]
        },
        startingNext: {
          description:
            "Containers start in order: the next once the one before has started, its postStart hook included, or has failed to.",
          entry: "startNext",
          always: "watching"
        },
        restartingAll: {
          description:
            "A container ended as a rule with RestartAllContainers says: the others are stopped, then all start anew.",
          tags: "moving",
          entry: "stopForRestart",
          on: {
            observed: [
              { guard: "isNowLost", target: "watching", actions: "remember" },
              { guard: "isNowTerminating", target: "watching", actions: "remember" },
              { actions: ["passLifeOn", "remember", "setDeadline", "report"] }
            ],
            "container.changed": [
              { guard: "isUnchanged", actions: "recordEvents" },
              { actions: ["noteContainer", "recordEvents", "report"] }
            ]
          },
          always: [
            { guard: "isEvicted", target: "#pod.ending.evicted" },
            { guard: "haveStopped", target: "watching", actions: ["removeContainers", "report"] }
          ]
        },
        initializing: {
          description: "Init containers run one after another. A sidecar only has to have started.",
          initial: "working",
          always: { guard: "hasInitFailed", target: "#pod.ending.finishing" },
          states: {
            working: { tags: "moving", always: { guard: "isBackingOff", target: "backingOff" } },
            backingOff: { description: "An init container is in back-off before its next run." }
          }
        },
        starting: { tags: "moving", description: "Images are being pulled and containers created." },
        backingOff: { description: "A container is in back-off before its first run." },
        running: {
          description: "All containers have been started.",
          initial: "notReady",
          states: {
            notReady: {
              initial: "progressing",
              states: {
                progressing: { tags: "moving", always: { guard: "isBackingOff", target: "backingOff" } },
                backingOff: { description: "A container is in back-off before its next run." }
              }
            },
            ready: {
              description: "Every container is ready. The Pod is ready if its readiness gates are true."
            }
          }
        },
        hanging: {
          description: "A container answers no requests and no probes any more.",
          initial: "probesFailing",
          states: {
            probesFailing: { tags: "moving", description: "Its probes have not yet failed often enough." },
            probesFailed: { description: "The Pod is not ready. No liveness probe restarts the container." }
          }
        }
      }
    },
    ending: {
      description: "The Pod ends: its containers are stopped and not restarted.",
      initial: "finishing",
      on: {
        observed: [
          { guard: "isNowLost", target: "outOfReach", actions: "remember" },
          { guard: "isNowTerminating", target: "terminating", actions: "remember" },
          { actions: "remember" }
        ],
        "container.changed": { guard: "isUnchanged", actions: "recordEvents" }
      },
      states: {
        overdue: {
          description: "activeDeadlineSeconds is exceeded: the Pod fails.",
          tags: "moving",
          entry: ["recordOverdue", "endContainers", "reportOverdue"],
          on: {
            "container.changed": {
              guard: not("isUnchanged"),
              actions: ["noteContainer", "recordEvents", "reportOverdue"]
            }
          },
          always: { guard: "haveStopped", target: "#pod.failed" }
        },
        evicted: {
          description: "The kubelet evicted the Pod, for example for lack of memory: the Pod fails.",
          tags: "moving",
          entry: ["recordEviction", "endContainers", "reportEviction"],
          on: {
            "container.changed": {
              guard: not("isUnchanged"),
              actions: ["noteContainer", "recordEvents", "reportEviction"]
            }
          },
          always: { guard: "haveStopped", target: "#pod.failed" }
        },
        finishing: {
          description: "Its containers have exited. Sidecars are stopped after them.",
          tags: "moving",
          entry: "endContainers",
          on: {
            "container.changed": {
              guard: not("isUnchanged"),
              actions: ["noteContainer", "recordEvents", "report"]
            }
          },
          always: { guard: "haveStopped", target: "#pod.finished" }
        }
      }
    },
    finished: {
      description: "Did a container fail?",
      always: [{ guard: "didFail", target: "failed" }, { target: "succeeded" }]
    },
    succeeded: {
      description: "All containers exited with code 0.",
      // A Pod that ended before this actor started has no containers to report.
      on: { observed: { guard: "hasRunHere", actions: "report" } }
    },
    failed: {
      description: "A container failed, and the Pod is not restarted.",
      on: { observed: { guard: "hasRunHere", actions: "report" } }
    },
    terminating: {
      description:
        "The Pod is being deleted. It ends when every container has exited or the grace period is over.",
      tags: "moving",
      // A Pod that was terminating before this actor began has no containers yet that could be stopped.
      entry: ["startContainers", "stopContainers"],
      on: {
        observed: [
          { guard: "isNowLost", target: "outOfReach", actions: "remember" },
          { guard: "isHurried", actions: ["remember", "stopContainers"] },
          { actions: "remember" }
        ],
        "container.changed": [
          { guard: "isUnchanged", actions: "recordEvents" },
          { guard: "isLastToStop", target: "gone", actions: ["noteContainer", "recordEvents"] },
          { actions: ["noteContainer", "recordEvents", "report"] }
        ]
      },
      always: { guard: "haveStopped", target: "gone" }
    },
    leftBehind: {
      description: "The Pod ended, but its kubelet was lost before it could delete the object.",
      entry: "remove",
      on: { observed: { actions: "remove" } }
    },
    outOfReach: {
      description: "The node is lost: the Pod reports nothing until the node is back.",
      entry: "loseContainers",
      on: {
        observed: {
          target: "placing",
          guard: "isBack",
          actions: "remember"
        }
      }
    },
    gone: {
      description: "The kubelet deletes the object.",
      entry: ["reportDeleted", "remove"],
      on: { observed: { actions: "remove" } }
    }
  }
})
