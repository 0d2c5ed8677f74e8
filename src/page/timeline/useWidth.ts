import { useEffect, useRef, useState } from "preact/hooks"

const widthDefault = 960
const widthLeast = 280

/** How wide an element is, in whole units; a drawing is made as wide, so that letters stay as large as they are. */
export const useWidth = () => {
  const ref = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(widthDefault)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    const measure = (): void => {
      if (element.clientWidth > 0) setWidth(Math.max(widthLeast, Math.floor(element.clientWidth)))
    }
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    measure()
    return () => observer.disconnect()
  }, [])
  return { ref, width }
}
