import { healthText } from "../../explain/health/healthText.ts"
import { useFleetHealth } from "../fleet/useFleetHealth.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"

export const VerdictView = ({ object }: { readonly object: KubeObject }) => {
  const card = useFleetHealth().get(object.metadata.uid)
  if (card === undefined) return null
  return (
    <p class="verdict" data-testid="verdict">
      <span class="badge" data-lead={card.lead}>
        {healthText(card)}
      </span>{" "}
      <span class="figures">{card.figures}</span>{" "}
      {card.cause !== undefined && <strong class="root-cause">{card.cause}.</strong>}
    </p>
  )
}
