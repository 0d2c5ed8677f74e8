import { errorText } from "../../../kubernetes/meta/text/errorText.ts"
import { loadDrawing } from "./chartDrawings.ts"
import { useEffect, useState } from "preact/hooks"
import { usePageState } from "../../pageState.ts"

interface Drawing {
  readonly svg?: SVGSVGElement
  readonly problem?: string
}

export const useDrawing = (chart: string): Drawing => {
  // The header of a recording has the drawings of its charts.
  const { header } = usePageState().history.get()
  const [drawing, setDrawing] = useState<Drawing>({})
  useEffect(() => {
    let isCurrent = true
    setDrawing({})
    loadDrawing(chart, header).then(
      (svg) => isCurrent && setDrawing({ svg }),
      (error: unknown) => isCurrent && setDrawing({ problem: errorText(error) })
    )
    return () => {
      isCurrent = false
    }
  }, [chart, header])
  return drawing
}
