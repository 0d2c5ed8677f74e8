import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { charthouse } from "../harness/charthouse.ts"

/** Manifests that other projects publish. They are theirs, and lie beside this project, if they are there. */
const folder = resolve(import.meta.dirname, "../../../../shared/manifests")
const missing = existsSync(folder) ? "" : ` (skipped: ${folder} is not there)`

interface Verdict {
  /** Without those that are taken for granted with each source. */
  readonly warnings?: ReadonlyArray<string>
  readonly verdicts: ReadonlyArray<string>
}

const ships = (...names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.map((name) => `✓ ships ${name}`)

const nginx: Verdict = {
  verdicts: ships(
    "Deployment/ingress-nginx/ingress-nginx-controller",
    "Job/ingress-nginx/ingress-nginx-admission-create",
    "Job/ingress-nginx/ingress-nginx-admission-patch"
  )
}

const sources: Readonly<Record<string, Verdict>> = {
  argocd: {
    warnings: [
      "CustomResourceDefinition/applicationsets.argoproj.io is too large for kubectl apply, and planned as with --server-side"
    ],
    verdicts: ships(
      "Deployment/argocd-applicationset-controller",
      "Deployment/argocd-dex-server",
      "Deployment/argocd-notifications-controller",
      "Deployment/argocd-redis",
      "Deployment/argocd-repo-server",
      "Deployment/argocd-server",
      "StatefulSet/argocd-application-controller"
    )
  },
  bookinfo: {
    verdicts: ships(
      "Deployment/details-v1",
      "Deployment/ratings-v1",
      "Deployment/reviews-v1",
      "Deployment/reviews-v2",
      "Deployment/reviews-v3",
      "Deployment/productpage-v1"
    )
  },
  boutique: {
    verdicts: ships(
      "Deployment/frontend",
      "Deployment/adservice",
      "Deployment/currencyservice",
      "Deployment/cartservice",
      "Deployment/redis-cart",
      "Deployment/loadgenerator",
      "Deployment/recommendationservice",
      "Deployment/checkoutservice",
      "Deployment/emailservice",
      "Deployment/paymentservice",
      "Deployment/shippingservice",
      "Deployment/productcatalogservice"
    )
  },
  "cert-manager": {
    verdicts: ships(
      "Deployment/cert-manager/cert-manager-cainjector",
      "Deployment/cert-manager/cert-manager",
      "Deployment/cert-manager/cert-manager-webhook"
    )
  },
  guestbook: {
    verdicts: ships("Deployment/redis-master", "Deployment/redis-replica", "Deployment/frontend")
  },
  "ingress-nginx": nginx,
  "ingress-nginx-kind": nginx,
  "kube-prometheus": {
    warnings: [
      "CustomResourceDefinition/alertmanagerconfigs.monitoring.coreos.com and 5 more are too large for kubectl apply, and planned as with --server-side"
    ],
    verdicts: ships(
      "Deployment/monitoring/blackbox-exporter",
      "Deployment/monitoring/grafana",
      "Deployment/monitoring/kube-state-metrics",
      "DaemonSet/monitoring/node-exporter",
      "Deployment/monitoring/prometheus-adapter",
      "Deployment/monitoring/prometheus-operator"
    )
  },
  "metrics-server": { verdicts: ships("Deployment/kube-system/metrics-server") },
  podinfo: {
    verdicts: [
      "! risky Deployment/webapp/backend HorizontalPodAutoscaler/backend never scales: frontend would scale it, too",
      ...ships("Deployment/webapp/frontend", "Deployment/podinfo")
    ]
  },
  sockshop: {
    verdicts: ships(
      "Deployment/sock-shop/carts",
      "Deployment/sock-shop/carts-db",
      "Deployment/sock-shop/catalogue",
      "Deployment/sock-shop/catalogue-db",
      "Deployment/sock-shop/front-end",
      "Deployment/sock-shop/orders",
      "Deployment/sock-shop/orders-db",
      "Deployment/sock-shop/payment",
      "Deployment/sock-shop/queue-master",
      "Deployment/sock-shop/rabbitmq",
      "Deployment/sock-shop/session-db",
      "Deployment/sock-shop/shipping",
      "Deployment/sock-shop/user",
      "Deployment/sock-shop/user-db"
    )
  },
  voting: {
    verdicts: ships(
      "Deployment/db",
      "Deployment/redis",
      "Deployment/result",
      "Deployment/vote",
      "Deployment/worker"
    )
  }
}

describe(`a published source, planned as it is${missing}`, () => {
  it.skipIf(missing !== "").each(Object.entries(sources))(
    "is judged: %s",
    async (name, { warnings = [], verdicts }) => {
      const source = join(folder, name)
      const result = await charthouse(["plan", "-f", source, "--seeds", "1", "--what-if", "none"])
      const lines = result.stdout.split("\n").filter((line) => /^[✓!✗?] \w+ {2}/u.test(line))
      expect(lines.map((line) => line.trimEnd().replaceAll(/ +/gu, " "))).toEqual(verdicts)
      for (const warning of warnings) expect(result.stderr).toContain(warning)
      expect(result.code).toBe(0)
    }
  )
})
