import type { RuleName } from "../../plan/verdicts/verdict.ts"

interface RuleText {
  readonly title: string
  readonly help: string
}

export const ruleTexts: Readonly<Record<RuleName, RuleText>> = {
  "rollout-stuck": {
    title: "The rollout never completes",
    help: "With some seeds the rollout stops before all replicas are new and available. The reason names what its Pods wait for."
  },
  "rollout-late": {
    title: "The rollout misses its progress deadline",
    help: "Pods take longer than progressDeadlineSeconds allows. Raise it, or make Pods start sooner."
  },
  "service-without-pods": {
    title: "A Service reaches none of the new Pods",
    help: "The labels of the new Pods, or the ports that they declare, are no longer those that the Service asks for."
  },
  "ingress-without-service": {
    title: "An Ingress sends requests to no Service",
    help: "Its backend names a Service or a port that the manifests do not have: clients get an error."
  },
  "missing-reference": {
    title: "The Pods need an object or a key that the manifests have elsewhere, or by another name",
    help: "Pods read the ConfigMaps, Secrets, claims and ServiceAccounts of their own namespace, by their exact names."
  },
  "container-ends": {
    title: "A container ends soon after it has started, again and again",
    help: "The rollout is complete before that, and then the container is in CrashLoopBackOff. Give it a command that runs on, or make it a Job."
  },
  "stop-cut-short": {
    title: "A preStop hook takes the whole grace period",
    help: "The kubelet kills what still runs 2 seconds after SIGTERM. Raise terminationGracePeriodSeconds, or shorten the hook."
  },
  "image-not-pulled": {
    title: "An image is never pulled",
    help: "With imagePullPolicy Never a container starts only on nodes that have its image. Say IfNotPresent, unless all of yours have it."
  },
  "requests-lost": {
    title: "Requests are lost during the rollout",
    help: "Clients send requests to Pods that do not answer. A preStop sleep, a readiness probe or a smaller maxUnavailable helps, depending on the cause."
  },
  "no-pod-available": {
    title: "No Pod is available for a while",
    help: "The strategy lets all old Pods go before a new one is available."
  },
  "probe-ends-start": {
    title: "A probe ends a container before its application answers",
    help: "The rollout is complete before that, and then its Pods start again and again. Give the container a startupProbe with enough failures, and a readinessProbe."
  },
  "probe-not-asked": {
    title: "A liveness probe cannot be asked",
    help: "The kubelet finds no port or program of that name, throws the result away, and does not end a container that hangs. Name a port that the container declares, or make each argument of the command an item of its own."
  },
  "evicted-by-taint": {
    title: "Pods are evicted again and again after the rollout",
    help: "They run on nodes with a NoExecute taint that they tolerate for tolerationSeconds alone. Leave tolerationSeconds out, or keep them off these nodes."
  },
  "undo-stuck": {
    title: "Going back never completes",
    help: "kubectl rollout undo, right after this rollout, does not lead back to a whole workload."
  },
  threshold: {
    title: "A condition that fails the plan is true",
    help: "The team has set this condition with --fail-on or in charthouse.yaml."
  },
  "drain-blocked": {
    title: "A PodDisruptionBudget lets no Pod be evicted",
    help: "A drain of a node waits for ever. Let the budget spare a Pod, or run one more."
  },
  "overlapping-selectors": {
    title: "Two workloads select the same Pods",
    help: "Each counts the other's Pods as its own. Give each a label that the other does not select."
  },
  "no-revision-kept": {
    title: "No earlier revision is kept",
    help: "With revisionHistoryLimit: 0, kubectl rollout undo has nothing to go back to."
  },
  "mutable-image": {
    title: "The image has no version",
    help: "A tag that moves gives each node the image of its last pull. Name a version or a digest."
  },
  "replicas-removed": {
    title: "The manifest has spec.replicas no more",
    help: "kubectl apply takes the field away, and one Pod is left. First take it out of what was applied last, with kubectl apply edit-last-applied."
  },
  "autoscaler-conflict": {
    title: "The manifest and an autoscaler disagree",
    help: "Leave spec.replicas out of a workload that a HorizontalPodAutoscaler scales, and give its containers requests."
  },
  "autoscaler-range": {
    title: "The rollout fails at a size that an autoscaler may choose",
    help: "Give quotas and rules of placement room for maxReplicas, or lower it."
  },
  "replaced-on-delete": {
    title: "No Pod is replaced by the rollout itself",
    help: "With updateStrategy OnDelete the new template reaches a Pod when the old one has been deleted by hand; with a partition, when that is at most its ordinal."
  },
  "strategy-not-followed": {
    title: "The steering strategy of the Deployment is not followed",
    help: "Correct the annotation charthouse.dev/strategy, or what it needs of the Deployment, as its readiness gate: charthouse steer check says what is wrong."
  },
  "unknown-node-resource": {
    title: "No default node has a resource that the Pods ask for",
    help: "Give the plan your nodes, with --nodes FILE or in charthouse.yaml."
  },
  "unknown-pod-security": {
    title: "The namespace enforces a Pod Security Standard that its Pods do not meet",
    help: "The standards are played: Pods that violate one are refused, and the rollout is stuck. Accept PodSecurity if your API server exempts them."
  },
  "unknown-mutating-webhook": {
    title: "A webhook may change the workload",
    help: "Webhooks are not called in a plan. Accept MutatingWebhookConfiguration if this one does not decide about the rollout."
  },
  "unknown-validating-webhook": {
    title: "A webhook may refuse the workload",
    help: "Webhooks are not called in a plan. Accept ValidatingWebhookConfiguration if this one does not decide about the rollout."
  },
  "unknown-mutating-policy": {
    title: "An admission policy may change the workload",
    help: "Policies are not evaluated in a plan. Accept MutatingAdmissionPolicy if this one does not decide about the rollout."
  },
  "unknown-validating-policy": {
    title: "An admission policy may refuse the workload",
    help: "Policies are not evaluated in a plan. Accept ValidatingAdmissionPolicy if the workload meets this one."
  },
  "unknown-csi-driver": {
    title: "A volume needs a driver that is not played",
    help: "Add the CSIDriver to the files, or accept CSIDriver if the cluster has one that mounts the volume."
  },
  "unknown-node-file": {
    title: "The Pods need something on the disk of their node",
    help: "Accept NodeFile if your nodes have it."
  },
  "unknown-node-label": {
    title: "No default node has a label that the Pods ask for",
    help: "Give the plan your nodes, with --nodes FILE or in charthouse.yaml."
  },
  "unknown-readiness-gate": {
    title: "Another controller decides when the Pods are ready",
    help: "Only the conditions of a kubelet are played. Accept ReadinessGate if that controller sets its condition in time."
  },
  "unknown-runtime-class": {
    title: "No file creates the RuntimeClass of the Pods",
    help: "Add the RuntimeClass to the files, or accept RuntimeClass."
  },
  "unknown-scheduler": {
    title: "What is not played decides when the Pods are scheduled",
    help: "Only the default scheduler is played, and no scheduling gate is removed. Accept Scheduler if Pods are placed in time."
  },
  "unknown-storage-class": {
    title: "A claim waits for a provisioner that is not played",
    help: "Add the volume to the files, or accept StorageClass."
  },
  "unknown-sysctl": {
    title: "The Pods set a sysctl that is not safe",
    help: "Kubelets refuse it by default. Accept Sysctl if the allowedUnsafeSysctls of your nodes have it."
  }
}
