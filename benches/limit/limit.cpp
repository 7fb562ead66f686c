// Machine limits for the Gaussian product sum_j exp(-|x_i-y_j|^2) b_j, D=3, float32. Own code.
//  g++ -O3 -march=native -fopenmp -shared -fPIC limit.cpp -o liblimit.so     (kernels for ctypes)
//  g++ -O3 -march=native -fopenmp -DMAIN limit.cpp -o limit && ./limit       (micro-benchmarks)
#include <immintrin.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cstdint>
#include <vector>
#include <algorithm>
#include <omp.h>
#define INL static inline __attribute__((always_inline))
typedef __m512 Z; typedef __m256 Y;
static const float MAGIC = 12582912.0f;              // 1.5*2^23
// ---------------- 2^s for s in [-126+eps .. 127], AVX-512
// (a) roundscale + degree 5 + scalef : no clamp needed, underflows properly
INL Z e2_scalef(Z s){ Z n=_mm512_roundscale_ps(s,8), r=_mm512_sub_ps(s,n);
  Z p=_mm512_set1_ps(0.001327638282f);
  p=_mm512_fmadd_ps(p,r,_mm512_set1_ps(0.009676323272f)); p=_mm512_fmadd_ps(p,r,_mm512_set1_ps(0.05550758168f));
  p=_mm512_fmadd_ps(p,r,_mm512_set1_ps(0.2402216345f)); p=_mm512_fmadd_ps(p,r,_mm512_set1_ps(0.693146944f)); p=_mm512_fmadd_ps(p,r,_mm512_set1_ps(1.0f));
  return _mm512_scalef_ps(p,n); }
// (a2) vreduceps gives r directly (s - round(s)); scalef takes floor -> use roundscale too
INL Z e2_reduce(Z s){ Z r=_mm512_reduce_ps(s,8), n=_mm512_sub_ps(s,r);
  Z p=_mm512_set1_ps(0.001327638282f);
  p=_mm512_fmadd_ps(p,r,_mm512_set1_ps(0.009676323272f)); p=_mm512_fmadd_ps(p,r,_mm512_set1_ps(0.05550758168f));
  p=_mm512_fmadd_ps(p,r,_mm512_set1_ps(0.2402216345f)); p=_mm512_fmadd_ps(p,r,_mm512_set1_ps(0.693146944f)); p=_mm512_fmadd_ps(p,r,_mm512_set1_ps(1.0f));
  return _mm512_scalef_ps(p,n); }
// (b) magic rounding + degree 5 + integer exponent add (clamp at -126 so that far pairs give 2^-126, ~0)
INL Z e2_deg5(Z s){ s=_mm512_max_ps(s,_mm512_set1_ps(-126.f)); Z t=_mm512_add_ps(s,_mm512_set1_ps(MAGIC)), n=_mm512_sub_ps(t,_mm512_set1_ps(MAGIC)), r=_mm512_sub_ps(s,n);
  Z p=_mm512_set1_ps(0.001327638282f);
  p=_mm512_fmadd_ps(p,r,_mm512_set1_ps(0.009676323272f)); p=_mm512_fmadd_ps(p,r,_mm512_set1_ps(0.05550758168f));
  p=_mm512_fmadd_ps(p,r,_mm512_set1_ps(0.2402216345f)); p=_mm512_fmadd_ps(p,r,_mm512_set1_ps(0.693146944f)); p=_mm512_fmadd_ps(p,r,_mm512_set1_ps(1.0f));
  return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(p),_mm512_slli_epi32(_mm512_castps_si512(t),23))); }
// (c) 32-entry table in two registers (vpermt2ps) + degree 2
struct Tab { Z lo, hi; };
INL Tab mk(){ alignas(64) uint32_t v[32]; for(int i=0;i<32;i++){ float f=(float)exp2((double)i/32); uint32_t u; memcpy(&u,&f,4); v[i]=u-((uint32_t)i<<18);} Tab t; t.lo=_mm512_load_ps((float*)v); t.hi=_mm512_load_ps((float*)(v+16)); return t; }
static const float MAGIC32 = 393216.0f;              // 1.5*2^18: ulp = 1/32
INL Z e2_tab(Z s,const Tab&T){ s=_mm512_max_ps(s,_mm512_set1_ps(-126.f)); Z t=_mm512_add_ps(s,_mm512_set1_ps(MAGIC32)), n=_mm512_sub_ps(t,_mm512_set1_ps(MAGIC32)), r=_mm512_sub_ps(s,n);
  Z p=_mm512_fmadd_ps(_mm512_set1_ps(0.240224745832f),r,_mm512_set1_ps(0.693157343565f));
  __m512i ti=_mm512_castps_si512(t); Z m=_mm512_permutex2var_ps(T.lo,ti,T.hi);
  Z w=_mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(m),_mm512_slli_epi32(ti,18)));
  return _mm512_fmadd_ps(_mm512_mul_ps(p,r),w,w); }
INL Z e2_tab_ns(Z s,const Tab&T){ // same, scalef-free, for |w*b| folded by the caller: returns w and q (value = w + q*w)
  return e2_tab(s,T); }
// (d) proper e^x (Cody-Waite), degree 5 in r = x - n ln2 , |r|<=0.3466
INL Z ee_cw(Z x){ x=_mm512_max_ps(x,_mm512_set1_ps(-87.33654f)); Z t=_mm512_fmadd_ps(x,_mm512_set1_ps(1.44269504f),_mm512_set1_ps(MAGIC)), n=_mm512_sub_ps(t,_mm512_set1_ps(MAGIC));
  Z r=_mm512_fnmadd_ps(n,_mm512_set1_ps(0.693359375f),x); r=_mm512_fnmadd_ps(n,_mm512_set1_ps(-2.12194440e-4f),r);
  const double L=0.69314718055994530942; Z p=_mm512_set1_ps((float)(0.001327638282/(L*L*L*L*L)));
  p=_mm512_fmadd_ps(p,r,_mm512_set1_ps((float)(0.009676323272/(L*L*L*L)))); p=_mm512_fmadd_ps(p,r,_mm512_set1_ps((float)(0.05550758168/(L*L*L))));
  p=_mm512_fmadd_ps(p,r,_mm512_set1_ps((float)(0.2402216345/(L*L)))); p=_mm512_fmadd_ps(p,r,_mm512_set1_ps((float)(0.693146944/L))); p=_mm512_fmadd_ps(p,r,_mm512_set1_ps(1.0f));
  return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(p),_mm512_slli_epi32(_mm512_castps_si512(t),23))); }
// ---------------- AVX2
INL Y e2_deg5(Y s){ s=_mm256_max_ps(s,_mm256_set1_ps(-126.f)); Y t=_mm256_add_ps(s,_mm256_set1_ps(MAGIC)), n=_mm256_sub_ps(t,_mm256_set1_ps(MAGIC)), r=_mm256_sub_ps(s,n);
  Y p=_mm256_set1_ps(0.001327638282f);
  p=_mm256_fmadd_ps(p,r,_mm256_set1_ps(0.009676323272f)); p=_mm256_fmadd_ps(p,r,_mm256_set1_ps(0.05550758168f));
  p=_mm256_fmadd_ps(p,r,_mm256_set1_ps(0.2402216345f)); p=_mm256_fmadd_ps(p,r,_mm256_set1_ps(0.693146944f)); p=_mm256_fmadd_ps(p,r,_mm256_set1_ps(1.0f));
  return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p),_mm256_slli_epi32(_mm256_castps_si256(t),23))); }
INL Y ee_cw(Y x){ x=_mm256_max_ps(x,_mm256_set1_ps(-87.33654f)); Y t=_mm256_fmadd_ps(x,_mm256_set1_ps(1.44269504f),_mm256_set1_ps(MAGIC)), n=_mm256_sub_ps(t,_mm256_set1_ps(MAGIC));
  Y r=_mm256_fnmadd_ps(n,_mm256_set1_ps(0.693359375f),x); r=_mm256_fnmadd_ps(n,_mm256_set1_ps(-2.12194440e-4f),r);
  const double L=0.69314718055994530942; Y p=_mm256_set1_ps((float)(0.001327638282/(L*L*L*L*L)));
  p=_mm256_fmadd_ps(p,r,_mm256_set1_ps((float)(0.009676323272/(L*L*L*L)))); p=_mm256_fmadd_ps(p,r,_mm256_set1_ps((float)(0.05550758168/(L*L*L))));
  p=_mm256_fmadd_ps(p,r,_mm256_set1_ps((float)(0.2402216345/(L*L)))); p=_mm256_fmadd_ps(p,r,_mm256_set1_ps((float)(0.693146944/L))); p=_mm256_fmadd_ps(p,r,_mm256_set1_ps(1.0f));
  return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p),_mm256_slli_epi32(_mm256_castps_si256(t),23))); }
struct Tab8 { Y t; }; static const float MAGIC8 = 1572864.0f; // 1.5*2^20 : ulp 1/8
INL Tab8 mk8(){ alignas(32) uint32_t v[8]; for(int i=0;i<8;i++){ float f=(float)exp2((double)i/8); uint32_t u; memcpy(&u,&f,4); v[i]=u-((uint32_t)i<<20);} Tab8 t; t.t=_mm256_load_ps((float*)v); return t; }
INL Y e2_tab(Y s,const Tab8&T){ s=_mm256_max_ps(s,_mm256_set1_ps(-126.f)); Y t=_mm256_add_ps(s,_mm256_set1_ps(MAGIC8)), n=_mm256_sub_ps(t,_mm256_set1_ps(MAGIC8)), r=_mm256_sub_ps(s,n);
  // degree 3 on |r|<=1/16 with c0 = 1 (Taylor-like minimax)
  Y p=_mm256_fmadd_ps(_mm256_set1_ps(0.0555028f),r,_mm256_set1_ps(0.24025034f)); p=_mm256_fmadd_ps(p,r,_mm256_set1_ps(0.69314720f));
  __m256i ti=_mm256_castps_si256(t); Y m=_mm256_permutevar8x32_ps(T.t,ti);
  Y w=_mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(m),_mm256_slli_epi32(ti,20)));
  return _mm256_fmadd_ps(_mm256_mul_ps(p,r),w,w); }

// ---------------- kernels: R registers of 16 (8) rows i in lanes, broadcast j
enum { DEG5, SCALEF, REDUCE, TAB };
template<int K> INL Z ev(Z s,const Tab&T){ if(K==DEG5) return e2_deg5(s); if(K==SCALEF) return e2_scalef(s); if(K==REDUCE) return e2_reduce(s); return e2_tab(s,T); }
template<int K,int R,bool EXPAND> static void blk512(const float*xs,const float*yb,float*o,long m){
  // xs: SoA 3 x (16R); yb: packed (y0,y1,y2,b) or expanded (2y0,2y1,2y2,b,-|y|^2) in log2 units
  Tab T; if(K==TAB) T=mk();
  Z x0[R],x1[R],x2[R],c[R],a[R];
  for(int r=0;r<R;r++){ x0[r]=_mm512_loadu_ps(xs+16*r); x1[r]=_mm512_loadu_ps(xs+16*(R+r)); x2[r]=_mm512_loadu_ps(xs+16*(2*R+r)); a[r]=_mm512_setzero_ps();
    c[r]=_mm512_sub_ps(_mm512_setzero_ps(),_mm512_fmadd_ps(x0[r],x0[r],_mm512_fmadd_ps(x1[r],x1[r],_mm512_mul_ps(x2[r],x2[r])))); }
  for(long j=0;j<m;j++,yb+=EXPAND?5:4){
    Z y0=_mm512_set1_ps(yb[0]),y1=_mm512_set1_ps(yb[1]),y2=_mm512_set1_ps(yb[2]),b=_mm512_set1_ps(yb[3]);
    Z s[R];
    if(EXPAND){ Z yy=_mm512_set1_ps(yb[4]); for(int r=0;r<R;r++) s[r]=_mm512_fmadd_ps(x0[r],y0,_mm512_fmadd_ps(x1[r],y1,_mm512_fmadd_ps(x2[r],y2,_mm512_add_ps(c[r],yy)))); }
    else for(int r=0;r<R;r++){ Z d0=_mm512_sub_ps(x0[r],y0),d1=_mm512_sub_ps(x1[r],y1),d2=_mm512_sub_ps(x2[r],y2);
      s[r]=_mm512_fnmadd_ps(d2,d2,_mm512_fnmadd_ps(d1,d1,_mm512_fnmsub_ps(d0,d0,_mm512_setzero_ps()))); }
    for(int r=0;r<R;r++) a[r]=_mm512_fmadd_ps(ev<K>(s[r],T),b,a[r]);
  }
  for(int r=0;r<R;r++) _mm512_storeu_ps(o+16*r,a[r]);
}
template<int K,int R> static void blk256(const float*xs,const float*yb,float*o,long m){
  Tab8 T; if(K==TAB) T=mk8();
  Y x0[R],x1[R],x2[R],a[R];
  for(int r=0;r<R;r++){ x0[r]=_mm256_loadu_ps(xs+8*r); x1[r]=_mm256_loadu_ps(xs+8*(R+r)); x2[r]=_mm256_loadu_ps(xs+8*(2*R+r)); a[r]=_mm256_setzero_ps(); }
  for(long j=0;j<m;j++,yb+=4){
    Y y0=_mm256_broadcast_ss(yb),y1=_mm256_broadcast_ss(yb+1),y2=_mm256_broadcast_ss(yb+2),b=_mm256_broadcast_ss(yb+3); Y s[R];
    for(int r=0;r<R;r++){ Y d0=_mm256_sub_ps(x0[r],y0),d1=_mm256_sub_ps(x1[r],y1),d2=_mm256_sub_ps(x2[r],y2);
      s[r]=_mm256_fnmadd_ps(d2,d2,_mm256_fnmadd_ps(d1,d1,_mm256_fnmsub_ps(d0,d0,_mm256_setzero_ps()))); }
    for(int r=0;r<R;r++) a[r]=_mm256_fmadd_ps(K==TAB?e2_tab(s[r],T):e2_deg5(s[r]),b,a[r]);
  }
  for(int r=0;r<R;r++) _mm256_storeu_ps(o+8*r,a[r]);
}
template<int L,int R,bool EXPAND,class F> static void run(F blk,const float*x,const float*y,const float*b,float*o,long n,long m){
  const float S=1.2011224087864498f; const int W=L*R; const long JT=4096; int st=EXPAND?5:4;
  std::vector<float> yb(m*st);
  for(long j=0;j<m;j++){ float q=0; for(int d=0;d<3;d++){ float v=y[3*j+d]*S; yb[j*st+d]=EXPAND?2*v:v; q+=v*v; } yb[j*st+3]=b[j]; if(EXPAND) yb[j*st+4]=-q; }
  #pragma omp parallel for schedule(dynamic,1)
  for(long g=0;g<(n+W-1)/W;g++){ float xs[3*W],acc[W]; long i0=g*W;
    for(int d=0;d<3;d++) for(int l=0;l<W;l++) xs[d*W+l]=S*x[3*std::min(i0+l,n-1)+d];
    float tot[W]; memset(tot,0,sizeof tot);
    for(long j0=0;j0<m;j0+=JT){ blk(xs,yb.data()+j0*st,acc,std::min(JT,m-j0)); for(int l=0;l<W;l++) tot[l]+=acc[l]; }
    for(int l=0;l<W&&i0+l<n;l++) o[i0+l]=tot[l]; }
}
#define KERN(nm,L,R,EX,B) extern "C" void nm(const float*x,const float*y,const float*b,float*o,long n,long m){ run<L,R,EX>(B,x,y,b,o,n,m); }
KERN(gauss3_deg5_512,16,4,false,(blk512<DEG5,4,false>))
KERN(gauss3_scalef_512,16,4,false,(blk512<SCALEF,4,false>))
KERN(gauss3_reduce_512,16,4,false,(blk512<REDUCE,4,false>))
KERN(gauss3_tab_512,16,4,false,(blk512<TAB,4,false>))
KERN(gauss3_tab_512_r3,16,3,false,(blk512<TAB,3,false>))
KERN(gauss3_tab_512_r2,16,2,false,(blk512<TAB,2,false>))
KERN(gauss3_deg5_512_r3,16,3,false,(blk512<DEG5,3,false>))
KERN(gauss3_deg5_512_r2,16,2,false,(blk512<DEG5,2,false>))
KERN(gauss3_expdeg5_512,16,4,true,(blk512<DEG5,4,true>))
KERN(gauss3_expscalef_512,16,4,true,(blk512<SCALEF,4,true>))
KERN(gauss3_exptab_512,16,4,true,(blk512<TAB,4,true>))
KERN(gauss3_exptab_512_r2,16,2,true,(blk512<TAB,2,true>))
KERN(gauss3_deg5_256,8,4,false,(blk256<DEG5,4>))
KERN(gauss3_deg5_256_r2,8,2,false,(blk256<DEG5,2>))
KERN(gauss3_tab_256,8,4,false,(blk256<TAB,4>))
KERN(gauss3_tab_256_r2,8,2,false,(blk256<TAB,2>))
#ifdef MAIN
static double now(){ return omp_get_wtime(); }
template<class F> static double med(F f,int reps=9){ f(); std::vector<double> t; for(int i=0;i<reps;i++){ double a=now(); f(); t.push_back(now()-a);} std::sort(t.begin(),t.end()); return t[reps/2]; }
static double ghz(){ return 1e-9*2e8/med([]{ long n=200000000/10; asm volatile("1: add $1,%%rax\n add $1,%%rax\n add $1,%%rax\n add $1,%%rax\n add $1,%%rax\n add $1,%%rax\n add $1,%%rax\n add $1,%%rax\n add $1,%%rax\n add $1,%%rax\n dec %0\n jnz 1b":"+r"(n)::"rax","cc"); },5); }
#define F8(op,r) op " %%" r "0,%%" r "1,%%" r "2\n " op " %%" r "0,%%" r "1,%%" r "3\n " op " %%" r "0,%%" r "1,%%" r "4\n " op " %%" r "0,%%" r "1,%%" r "5\n " op " %%" r "0,%%" r "1,%%" r "6\n " op " %%" r "0,%%" r "1,%%" r "7\n " op " %%" r "0,%%" r "1,%%" r "8\n " op " %%" r "0,%%" r "1,%%" r "9\n"
#define CLB "cc","xmm0","xmm1","xmm2","xmm3","xmm4","xmm5","xmm6","xmm7","xmm8","xmm9","xmm10","xmm11","xmm12","xmm13","xmm14","xmm15"
#define THR(nm,body,ops) static double nm(){ const long N=5000000; double t=med([&]{ long n=N; asm volatile("vxorps %%ymm0,%%ymm0,%%ymm0\n vxorps %%ymm1,%%ymm1,%%ymm1\n 1: " body " dec %0\n jnz 1b":"+r"(n)::CLB); },7); return ops*(double)N/t; }
THR(fma512,F8("vfmadd231ps","zmm") F8("vfmadd231ps","zmm"),16)
THR(fma256,F8("vfmadd231ps","ymm") F8("vfmadd231ps","ymm"),16)
THR(add512,F8("vaddps","zmm") F8("vaddps","zmm"),16)
THR(max512,F8("vmaxps","zmm") F8("vmaxps","zmm"),16)
THR(sll512,"vpslld $23,%%zmm0,%%zmm2\n vpslld $23,%%zmm0,%%zmm3\n vpslld $23,%%zmm0,%%zmm4\n vpslld $23,%%zmm0,%%zmm5\n",4)
THR(iadd512,F8("vpaddd","zmm") F8("vpaddd","zmm"),16)
THR(scalef512,F8("vscalefps","zmm") F8("vscalefps","zmm"),16)
THR(rnd512,"vrndscaleps $8,%%zmm0,%%zmm2\n vrndscaleps $8,%%zmm0,%%zmm3\n vrndscaleps $8,%%zmm0,%%zmm4\n vrndscaleps $8,%%zmm0,%%zmm5\n",4)
THR(perm2_512,F8("vpermt2ps","zmm") F8("vpermt2ps","zmm"),16)
#define MIX "vfmadd231ps %%zmm0,%%zmm1,%%zmm2\n vaddps %%zmm0,%%zmm1,%%zmm10\n vfmadd231ps %%zmm0,%%zmm1,%%zmm3\n vaddps %%zmm0,%%zmm1,%%zmm11\n vfmadd231ps %%zmm0,%%zmm1,%%zmm4\n vaddps %%zmm0,%%zmm1,%%zmm12\n vfmadd231ps %%zmm0,%%zmm1,%%zmm5\n vaddps %%zmm0,%%zmm1,%%zmm13\n vfmadd231ps %%zmm0,%%zmm1,%%zmm6\n vaddps %%zmm0,%%zmm1,%%zmm14\n vfmadd231ps %%zmm0,%%zmm1,%%zmm7\n vaddps %%zmm0,%%zmm1,%%zmm15\n"
THR(mix512,MIX,12)
#define MIX3 "vfmadd231ps %%zmm0,%%zmm1,%%zmm2\n vaddps %%zmm0,%%zmm1,%%zmm10\n vpaddd %%zmm0,%%zmm1,%%zmm9\n vfmadd231ps %%zmm0,%%zmm1,%%zmm3\n vaddps %%zmm0,%%zmm1,%%zmm11\n vpslld $3,%%zmm1,%%zmm9\n vfmadd231ps %%zmm0,%%zmm1,%%zmm4\n vaddps %%zmm0,%%zmm1,%%zmm12\n vpaddd %%zmm0,%%zmm1,%%zmm9\n vfmadd231ps %%zmm0,%%zmm1,%%zmm5\n vaddps %%zmm0,%%zmm1,%%zmm13\n vpslld $3,%%zmm1,%%zmm9\n"
THR(mix3_512,MIX3,12)
template<class F> static double thr512(F e){ alignas(64) static float in[4096],out[4096]; for(int i=0;i<4096;i++) in[i]=-20.f*i/4096; const int REP=400;
  double t=med([&]{ for(int k=0;k<REP;k++){ for(int i=0;i<4096;i+=64) for(int u=0;u<4;u++) _mm512_store_ps(out+i+16*u,e(_mm512_load_ps(in+i+16*u))); asm volatile("":::"memory"); } }); return t/REP/4096*1e9; }
template<class F> static double thr256(F e){ alignas(64) static float in[4096],out[4096]; for(int i=0;i<4096;i++) in[i]=-20.f*i/4096; const int REP=400;
  double t=med([&]{ for(int k=0;k<REP;k++){ for(int i=0;i<4096;i+=32) for(int u=0;u<4;u++) _mm256_store_ps(out+i+8*u,e(_mm256_load_ps(in+i+8*u))); asm volatile("":::"memory"); } }); return t/REP/4096*1e9; }
// exhaustive relative error over every float in [-lo, -2^-24]
template<class F> static double acc512(F e,bool base2,float lo){ uint32_t a,z; float f0=-5.9604645e-8f; memcpy(&a,&f0,4); memcpy(&z,&lo,4); double worst=0;
  #pragma omp parallel for reduction(max:worst) schedule(dynamic,1)
  for(uint32_t u0=a;u0<z;u0+=65536){ alignas(64) float v[16],w[16]; for(uint32_t u=u0;u<u0+65536&&u<z;u+=16){ for(int l=0;l<16;l++){ uint32_t k=u+l; memcpy(v+l,&k,4);} _mm512_store_ps(w,e(_mm512_load_ps(v))); for(int l=0;l<16;l++){ double r=base2?exp2((double)v[l]):exp((double)v[l]); double q=fabs(w[l]-r)/r; if(v[l]>=lo&&q>worst) worst=q; } } }
  return worst; }
template<class F> static double acc256(F e,bool base2,float lo){ return acc512([&](Z z){ Y a=_mm512_castps512_ps256(z), b=_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(z),1)); a=e(a); b=e(b); return _mm512_castpd_ps(_mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(a)),_mm256_castps_pd(b),1)); },base2,lo); }
int main(int argc,char**argv){
  double g=ghz(); printf("clock %.3f GHz (dependent adds, one core)\n",g);
  auto P=[&](const char*n,double v,int lanes){ printf("%-34s %6.2f G instr/s  %.3f instr/cycle  %7.1f G lanes/s\n",n,v*1e-9,v*1e-9/g,v*1e-9*lanes); };
  P("vfmadd zmm",fma512(),16); P("vfmadd ymm",fma256(),8); P("vaddps zmm",add512(),16); P("fma+add 1:1 zmm",mix512(),16); P("fma+add+int 1:1:1 zmm",mix3_512(),16);
  P("vmaxps zmm",max512(),16); P("vpslld zmm",sll512(),16); P("vpaddd zmm",iadd512(),16); P("vscalefps zmm",scalef512(),16); P("vrndscaleps zmm",rnd512(),16); P("vpermt2ps zmm",perm2_512(),16);
  { double t0=0; 
    #pragma omp parallel
    { double v=fma512();
      #pragma omp atomic
      t0+=v; }
    printf("both cores, vfmadd zmm: %.1f GFLOP/s total\n",t0*32e-9); }
  Tab T=mk(); Tab8 T8=mk8();
  bool full=argc>1;
  #define E5(nm,f,b2,lo) printf("%-34s %.4f ns/elem/core (%.2f cycles per 16)  max rel err %.3g\n",nm,thr512(f),thr512(f)*16*g,full?acc512(f,b2,lo):-1.0)
  #define E2(nm,f,b2,lo) printf("%-34s %.4f ns/elem/core (%.2f cycles per 8)  max rel err %.3g\n",nm,thr256(f),thr256(f)*8*g,full?acc256(f,b2,lo):-1.0)
  E5("exp2 512 roundscale+deg5+scalef",[](Z z){return e2_scalef(z);},true,-126.f);
  E5("exp2 512 reduce+deg5+scalef",[](Z z){return e2_reduce(z);},true,-126.f);
  E5("exp2 512 magic+deg5+intexp",[](Z z){return e2_deg5(z);},true,-126.f);
  E5("exp2 512 table32+deg2",([T](Z z){return e2_tab(z,T);}),true,-125.9f);
  E5("exp  512 Cody-Waite deg5",[](Z z){return ee_cw(z);},false,-87.f);
  E2("exp2 256 magic+deg5+intexp",[](Y z){return e2_deg5(z);},true,-126.f);
  E2("exp2 256 table8+deg3",([T8](Y z){return e2_tab(z,T8);}),true,-125.9f);
  E2("exp  256 Cody-Waite deg5",[](Y z){return ee_cw(z);},false,-87.f);
  long n=9984; std::vector<float> x(3*n),y(3*n),b(n),o(n); for(auto*v:{&x,&y}) for(auto&q:*v){ q=0; for(int k=0;k<12;k++) q+=rand()/(float)RAND_MAX; q-=6; } for(auto&q:b) q=rand()/(float)RAND_MAX-.5f;
  std::vector<double> ref(64); double er;
  for(int i=0;i<64;i++){ double s=0; for(long j=0;j<n;j++){ double q=0; for(int d=0;d<3;d++){ double z=(double)x[3*i+d]-y[3*j+d]; q+=z*z; } s+=exp(-q)*b[j]; } ref[i]=s; }
  #define KR(nm) { double t=med([&]{ nm(x.data(),y.data(),b.data(),o.data(),n,n); },15); er=0; double sc=0; for(int i=0;i<64;i++){ er=std::max(er,fabs(o[i]-ref[i])); sc=std::max(sc,fabs(ref[i])); } printf("%-24s n=%ld %.3f ms  %.4f ns/pair  (%.2f cycles per 16 pairs per core)  err %.1e\n",#nm,n,t*1e3,t*1e9/n/n,t*1e9/n/n*2*16*g,er/sc); }
  for(int k=0;k<2;k++){
  KR(gauss3_deg5_512) KR(gauss3_deg5_512_r3) KR(gauss3_deg5_512_r2) KR(gauss3_scalef_512) KR(gauss3_reduce_512) KR(gauss3_tab_512) KR(gauss3_tab_512_r3) KR(gauss3_tab_512_r2)
  KR(gauss3_expdeg5_512) KR(gauss3_expscalef_512) KR(gauss3_exptab_512) KR(gauss3_exptab_512_r2) KR(gauss3_deg5_256) KR(gauss3_deg5_256_r2) KR(gauss3_tab_256) KR(gauss3_tab_256_r2) }
}
#endif
